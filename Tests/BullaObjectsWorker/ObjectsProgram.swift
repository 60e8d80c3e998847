import Bulla
import BullaObjects
import BullaTestSupport

/// A process of the object layer's tests: one job on one store, which its arguments name.
///
///     BullaObjectsWorker <job> path=<store> [name=value ...]
///
/// Lines on standard output are `name=value` or `ready`. The exit code reports errors to the test,
/// and standard error reports them to people.
enum ObjectsProgram {
    static func run(_ arguments: [String]) -> WorkerExit {
        guard let command = ObjectsCommand(arguments.dropFirst()) else { return .badCommand }
        do {
            try perform(command)
            return .done
        } catch let failure as WorkerFailure {
            Line.complain(failure.message)
            return failure.exit
        } catch {
            Line.complain("\(error)")
            return .storeFailed
        }
    }

    private static func perform(_ command: ObjectsCommand) throws {
        switch command.job {
        case .write: try WriteJob(command).run()
        case .watch: try WatchJob(command).run()
        case .migrate: try MigrateJob(command).run()
        case .secret: try SecretJob(command).run()
        }
    }
}

/// A job with its arguments.
struct ObjectsCommand {
    enum Job: String {
        /// Inserts ticks, one a commit.
        case write
        /// Follows ticks until all have arrived.
        case watch
        /// Opens a store with newer models and their migrations.
        case migrate
        /// Seals and opens secrets, and stays alive so that its memory can be searched.
        case secret
    }

    let job: Job
    private let values: [String: String]

    init?(_ arguments: ArraySlice<String>) {
        guard let job = arguments.first.flatMap(Job.init(rawValue:)) else { return nil }
        self.job = job
        var values: [String: String] = [:]
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map { String($0) }
            guard parts.count == 2 else { return nil }
            values[parts[0]] = parts[1]
        }
        self.values = values
    }

    func int(_ name: String) -> Int { values[name].flatMap { Int($0) } ?? 0 }

    func open(cacheByteLimit: Int? = nil) throws -> Store {
        var options = StoreOptions()
        if let cacheByteLimit { options.cacheByteLimit = cacheByteLimit }
        return try Store.open(at: values["path"] ?? "", key: StoreKind.gcm.key(), options: options)
    }
}
