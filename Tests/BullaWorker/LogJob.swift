import Bulla
import BullaTestSupport
import Synchronization

/// Makes a given number of commits to a shared log, and reports those whose durability it has
/// awaited.
struct LogJob {
    private let log: SharedLog
    private let ledger = LogLedger()
    private let worker: Int
    private let count: Int

    init(_ command: WorkerCommand) throws {
        worker = command.number("worker")
        count = command.number("count")
        guard let path = command.text("path"),
            let kind = command.text("kind").flatMap({ StoreKind(rawValue: $0) })
        else { throw WorkerFailure(exit: .badCommand, message: "there is no log") }
        let site = try LogSite(path, kind, halfPageCount: LogLayout.halfPageCount)
        let storage: any StorageSystem =
            command.text("kill").flatMap { KillPoint($0) }.map { KillingStorage($0) }
            ?? SystemStorage()
        var options = SharedLog.Options()
        options.timeout = TestMode.patience
        options.clock = Self.hasty()
        guard let log = try SharedLog.join(site.parts(storage), site, ledger, options) else {
            throw WorkerFailure(exit: .badCommand, message: "nobody has the log open")
        }
        self.log = log
    }

    /// A clock that goes on by a second with each reading, so that each flush makes a mark.
    private static func hasty() -> @Sendable () -> ContinuousClock.Instant {
        let start = ContinuousClock.now
        let looks = Looks()
        return { start + .seconds(looks.count()) }
    }

    private final class Looks: Sendable {
        private let number = Atomic(0)
        func count() -> Int { number.add(1, ordering: .relaxed).newValue }
    }

    func run() throws {
        Line.say("ready")
        for number in 1...UInt64(count) {
            let commit = try log.put([UInt8(worker)] + number.bytes, ledger)
            guard number % LogLayout.relaxedEach != 0 else { continue }
            try log.awaitDurable(commit)
            Line.say("acknowledged", commit)
        }
        try log.awaitDurable(log.follow())
        log.end()
    }
}

/// What workers and their test agree on.
package enum LogLayout {
    package static let halfPageCount: UInt64 = 1000
    /// One commit in this many is relaxed.
    package static let relaxedEach: UInt64 = 4
}
