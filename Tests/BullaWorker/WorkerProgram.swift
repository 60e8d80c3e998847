import Bulla
import BullaMemory
import BullaTestSupport

/// A process of the tests: one job on one store, which its arguments name.
///
///     BullaWorker <job> path=<store> [name=value ...]
///
/// The key comes as 64 bytes on descriptor 3 if `key=3` is given. Lines on standard output are
/// `name=value` or `ready`. The exit code tells the test about errors; standard error tells people.
enum WorkerProgram {
    static func run(_ arguments: [String]) -> WorkerExit {
        guard let command = WorkerCommand(arguments.dropFirst()) else { return .badCommand }
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

    private static func perform(_ command: WorkerCommand) throws {
        command.setUpMemory()
        switch command.job {
        case .mix: try MixJob(command).run()
        case .increment: try IncrementJob(command).run()
        case .hold: try HoldJob(command).run()
        case .walk: try WalkJob(command).run()
        case .streamIn: try StreamJob(command).streamIn()
        case .streamOut: try StreamJob(command).streamOut()
        case .torture:
            var job = try TortureJob(command)
            try job.run()
        case .obey:
            var job = try ObeyJob(command)
            try job.run()
        case .commit: try CommitJob(command).run()
        case .pin: try PinJob(command).run()
        case .leave: try LeaveJob(command).run()
        case .plant: try PlantJob(command).run()
        case .secret: try SecretJob(command).run()
        case .locksmith:
            var job = try LocksmithJob(command)
            try job.run()
        case .lend: try LendJob(command).run()
        case .log: try LogJob(command).run()
        }
    }
}

/// A job with its arguments.
struct WorkerCommand {
    enum Job: String {
        /// Reads and writes everything, checks what it reads, and reports the expected content.
        case mix
        /// Increments counters until its input ends, and reports each acknowledged increment.
        case increment
        /// Holds a snapshot until its input ends.
        case hold
        /// Reads everything through spans, and waits until its input ends.
        case walk
        case streamIn = "stream-in"
        case streamOut = "stream-out"
        /// Writes or reads until it is killed.
        case torture
        /// Does what its input says.
        case obey
        /// Makes small durable commits.
        case commit
        /// Holds many snapshots.
        case pin
        /// Does everything with canaries, closes the store, and stays.
        case leave
        /// Holds known bytes in each kind of memory.
        case plant
        /// Takes a secret from a source.
        case secret
        /// Changes keys until it is killed.
        case locksmith
        /// Seals and opens canaries in a vault, lends one, closes everything, and stays.
        case lend
        /// Makes small commits to a shared log.
        case log
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

    func text(_ name: String) -> String? { values[name] }

    func number(_ name: String, or value: Int = 0) -> Int {
        values[name].flatMap { Int($0) } ?? value
    }

    /// Sets up the memory for keys: `hide=0` lets a test search it, and with `lock=0` it need not
    /// be locked.
    func setUpMemory() {
        if number("hide", or: 1) == 0 { SecretMemory.mayHide = false }
        if number("lock", or: 1) == 0 { SecretMemory.policy = .bestEffort }
    }

    /// The store's key, which can be taken only once.
    func takeKey() throws -> StoreKey? {
        text("key") == nil ? nil : try StoreKey(readingFrom: Int32(number("key")))
    }

    /// Opens the store that the command names.
    func openStore() throws -> Store { try openStore(try takeKey()) }

    /// Opens the store that the command names, with the same options each time.
    ///
    /// - Parameters:
    ///   - key: the result of ``takeKey()``.
    ///   - storage: where the store's files are.
    func openStore(
        _ key: StoreKey?, storage: any StorageSystem = SystemStorage()
    ) throws -> Store {
        guard let path = text("path") else {
            throw WorkerFailure(exit: .badCommand, message: "there is no path")
        }
        var options = StoreOptions()
        options.creation = .never
        options.cacheByteLimit = number("cache", or: 16) << 20
        options.dirtyByteLimit = number("dirty", or: 16) << 20
        options.lockTimeout = .seconds(number("patience", or: 600))
        options.pagePool = text("pool").flatMap { Int32($0) }
        // Make each close cut off the end of the file, so that the process can be killed in that
        // step.
        options.tailByteLimit = 0
        if let access = text("access").flatMap({ StoreOptions.Access(rawValue: $0) }) {
            options.access = access
        }
        return try Store.open(at: path, key: key, options: options, storage: storage)
    }

    /// The durability that the command names; `full` if it names none.
    var durability: Durability {
        text("durability") == "relaxed" ? .relaxed(within: .milliseconds(100)) : .full
    }
}
