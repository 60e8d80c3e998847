import BullaRecords
import BullaTestSupport

/// A process of the record layer's tests: one job in one folder, which its arguments name.
///
///     BullaRecordsWorker <job> folder=<folder> [name=value ...]
///
/// Lines on standard output are `name=value` or `ready`. Errors are reported to the test by the
/// exit code, and to people on standard error.
enum TrialProgram {
    static func run(_ arguments: [String]) async -> WorkerExit {
        guard let command = TrialCommand(arguments.dropFirst()) else { return .badCommand }
        do {
            try await perform(command)
            return .done
        } catch let failure as WorkerFailure {
            Line.complain(failure.message)
            return failure.exit
        } catch {
            Line.complain("\(error)")
            return .storeFailed
        }
    }

    private static func perform(_ command: TrialCommand) async throws {
        switch command.job {
        case .write:
            var job = try WriteJob(command)
            try job.run()
        case .follow:
            var job = try FollowJob(command)
            try job.run()
        case .share:
            var job = try ShareJob(command)
            try job.run()
        case .batch: try BatchJob(command).run()
        case .client: try await ClientJob(command).run()
        case .canary: try await CanaryJob(command).run()
        case .bare: try BareJob(command).run()
        case .asset: try AssetJob(command).run()
        case .move: try MoveJob(command).run()
        #if PostgreSQL
        case .spread:
            var job = try SpreadJob(command)
            try job.run()
        case .feed:
            var job = try FeedJob(command)
            try job.run()
        #endif
        }
    }
}

/// A job with its arguments.
struct TrialCommand {
    enum Job: String {
        /// Changes records of several zones, a given number of times.
        case write
        /// Follows a zone until its input ends, and reports its copy of the zone.
        case follow
        /// Takes part in a share of a record, and saves records below those that it sees.
        case share
        /// Commits batches of a form known to the test until it is killed.
        case batch
        /// Keeps records of an account whose keys are reset meanwhile.
        case client
        /// Does everything with canaries.
        case canary
        /// Reads everything that a backend without keys can read, and runs until its input ends.
        case bare
        /// Saves a large file as an asset, and reads it.
        case asset
        /// Moves an account between stores until it is killed.
        case move
        #if PostgreSQL
        /// Commits batches to zones of several accounts, whose sites can be away.
        case spread
        /// Follows zones of several accounts until its input ends, and reports its copies.
        case feed
        #endif
    }

    let job: Job
    private let values: [String: String]

    init?(_ arguments: ArraySlice<String>) {
        guard let job = arguments.first.flatMap({ Job(rawValue: $0) }) else { return nil }
        var values: [String: String] = [:]
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            values[String(parts[0])] = String(parts[1])
        }
        self.job = job
        self.values = values
    }

    func text(_ name: String) throws -> String {
        guard let text = values[name] else { throw Self.missing(name) }
        return text
    }

    func number(_ name: String) throws -> Int {
        guard let number = Int(try text(name)) else { throw Self.missing(name) }
        return number
    }

    /// The account whose user record a value names.
    func account(_ name: String = "account") throws -> AccountIdentifier {
        guard let account = AccountIdentifier(userRecordName: try text(name)) else {
            throw Self.missing(name)
        }
        return account
    }

    func site() throws -> TrialSite { try TrialSite(text("folder")) }

    private static func missing(_ name: String) -> WorkerFailure {
        WorkerFailure(exit: .badCommand, message: "there is no \(name)")
    }
}
