import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Synchronization

/// A log on a simulated disk, and the processes that share it.
final class SharedLogBench {
    let site: LogSite
    let disk: SimulatedDisk
    private(set) var members: [Member] = []

    /// One process with the log open.
    final class Member: Sendable, CustomReflectable {
        let process: SimulatedProcess
        let log: SharedLog
        let ledger: LogLedger

        init(_ process: SimulatedProcess, _ log: SharedLog, _ ledger: LogLedger) {
            (self.process, self.log, self.ledger) = (process, log, ledger)
        }

        var isDead: Bool { process.isDead }
        var isPoisoned: Bool { log.isPoisoned }
        /// Empty, because a failed expectation reflects its operands, which a log does not support.
        var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

        @discardableResult
        func put(_ value: [UInt8]) throws(BullaError) -> UInt64 { try log.put(value, ledger) }

        /// Commits a value, and waits until that is durable.
        @discardableResult
        func keep(_ value: [UInt8]) throws(BullaError) -> UInt64 {
            let commit = try put(value)
            try log.awaitDurable(commit)
            return commit
        }

        /// What the process knows after following the log.
        func known() throws -> [UInt64: [UInt8]] {
            try log.follow()
            return ledger.values
        }
    }

    /// A clock that moves only when it is told to.
    final class Clock: Sendable {
        private let start = ContinuousClock.now
        private let passed = Mutex<Duration>(.zero)

        func go(_ time: Duration) { passed.withLock { $0 += time } }

        var options: SharedLog.Options {
            var options = SharedLog.Options()
            options.clock = { [self] in start + passed.withLock { $0 } }
            return options
        }
    }

    let clock = Clock()
    static let path = "/disk/log"
    static let world = path + ".bulla-world"

    /// Makes the file.
    init(_ kind: StoreKind, halfPageCount: UInt64 = 12) throws {
        site = try LogSite(Self.path, kind, halfPageCount: halfPageCount)
        disk = try SimulatedDisk()
        try site.make(SimulatedProcess(disk))
    }

    /// Takes over the disk that a crash has left.
    init(_ site: LogSite, _ image: DiskImage) throws {
        self.site = site
        disk = try SimulatedDisk(image)
    }

    /// Opens the log in one more process: the first one begins it alone, and later ones join.
    @discardableResult
    func open() throws -> Member {
        let process = SimulatedProcess(disk)
        let ledger = LogLedger()
        let parts = try site.parts(process)
        let joined =
            members.isEmpty
            ? nil : try SharedLog.join(parts, site, ledger, clock.options)
        let log = try joined ?? SharedLog.begin(parts, site, ledger, clock.options)
        let member = Member(process, log, ledger)
        members.append(member)
        return member
    }

    func open(_ count: Int) throws -> [Member] { try (0..<count).map { _ in try open() } }

    /// The values that a crash at this moment would leave.
    func valuesAfter(_ choice: CrashChoice) throws -> [UInt64: [UInt8]] {
        var replay = DiskReplay(from: disk.base)
        for event in disk.history.dropFirst(disk.base.cached.count) { replay.apply(event) }
        return try SharedLogBench(site, replay.crashed(choice)).open().known()
    }

    func write(_ word: UInt64, at offset: UInt64) throws {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        try disk.overwrite(Self.world, with: bytes, at: offset)
    }

    /// The bytes of the coordination file.
    func worldBytes(_ range: Range<Int>) throws -> [UInt8] { try bytes(of: Self.world, range) }

    func bytes(of name: String, _ range: Range<Int>) throws -> [UInt8] {
        let file = try SimulatedProcess(disk).open(name, .reading)
        return try [UInt8](byteCount: range.count) { bytes throws(BullaError) in
            try file.read(bytes, at: UInt64(range.lowerBound))
        }
    }

    /// The disk's events after the first `count`.
    func events(since count: Int) -> [String] {
        disk.history[count...].map { event in
            switch event {
            case .write: "write"
            case .flushRange: "flush"
            default: "other"
            }
        }
    }

    /// Offsets in the coordination file.
    enum Word {
        static let poison: UInt64 = 256
        static let announced: UInt64 = 832
        static let flushes: UInt64 = 896
        static let cells = 2048..<3072
    }

    static func bytes(_ byte: UInt8, _ count: Int = 100) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }
}
