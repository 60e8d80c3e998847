import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A snapshot of one process, while another one commits and makes checkpoints.
@Suite struct `A snapshot beside checkpoints` {
    @Test(arguments: SnapshotBesideCheckpoint.configurations)
    func `sees one commit, whatever comes as it begins`(configuration: Configuration) throws {
        try SnapshotBesideCheckpoint(configuration).begin()
    }

    @Test(arguments: SnapshotBesideCheckpoint.configurations)
    func `sees it as long as it lives`(configuration: Configuration) throws {
        try SnapshotBesideCheckpoint(configuration).hold()
    }

    #if BULLA_CHECKS
    @Test(arguments: SnapshotBesideCheckpoint.configurations)
    func `would see two, were it to ask what is durable before it claims its trees`(
        configuration: Configuration
    ) {
        #expect(throws: Finding.self) {
            try PlantedBug.$current.withValue(.durableAskedFirst) {
                try SnapshotBesideCheckpoint(configuration).begin()
            }
        }
    }

    @Test(arguments: SnapshotBesideCheckpoint.configurations)
    func `would lose its trees, were it to claim the commit that it sees`(
        configuration: Configuration
    ) {
        #expect(throws: (any Error).self) {
            try PlantedBug.$current.withValue(.slotHoldsCommit) {
                try SnapshotBesideCheckpoint(configuration).hold()
            }
        }
    }
    #endif
}

/// A process that writes, and one that reads.
private final class SnapshotBesideCheckpoint {
    static let configurations = [CipherSuite.aes256GCM, nil].map {
        var configuration = Configuration(suite: $0, pageByteCount: 4096)
        // Before the snapshot begins none is full: a checkpoint of its own accord would come then.
        configuration.halfByteCount = 1 << 20
        return configuration
    }

    private let disk: SimulatedDisk
    private let writer: Store
    private let reader: Store

    init(_ configuration: Configuration) throws {
        disk = try SimulatedDisk()
        writer = try configuration.open(SimulatedProcess(disk))
        try Self.commit(6, writer)
        try writer.checkpoint()
        reader = try configuration.open(SimulatedProcess(disk))
    }

    deinit { disk.switchOff() }

    /// Commits and a checkpoint come when a snapshot has begun, and has not claimed its trees yet.
    func begin() throws {
        // The reader has a slot, so that the next snapshot takes another.
        let held = try reader.makeSnapshot()
        disk.whenLocked(LockByte.slot(0)..<LockByte.slot(1 << 10)) { [writer] in
            try? Self.commit(3, writer)
            _ = try? writer.checkpoint()
        }
        let snapshot = try reader.makeSnapshot()
        try demand(try writer.info.commit == 10, "the writer was held up")
        try Self.expectOne(snapshot)
        _ = consume held
    }

    /// Checkpoints take over what a snapshot sees, free pages of its trees, and ask for others.
    func hold() throws {
        // All that its trees have will be free at once: a run of pages for those that follow.
        try Self.commit(5, writer)
        // What it has not read yet, it does not have in memory.
        let snapshot = try reader.makeSnapshot(visibility: .published)
        for _ in 0..<60 {
            try writer.checkpoint()
            try Self.commit(3, writer)
        }
        try Self.expectOne(snapshot)
    }

    /// Each commit puts its number, under another key than the ones before it.
    private static func commit(_ count: Int, _ store: Store) throws {
        for _ in 0..<count {
            let number = UInt8(try store.info.commit + 1)
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.put(value(number), forKey: [number % 5], in: tree)
            }
        }
    }

    /// Of two pages, so that checkpoints are soon out of free ones.
    private static func value(_ number: UInt8) -> [UInt8] {
        [UInt8](repeating: number, count: 8000)
    }

    private static func expectOne(_ snapshot: borrowing Snapshot) throws {
        let seen = try Version(of: snapshot)
        let entries = (2..<UInt8(seen.commit) + 1).map { ([$0 % 5], value($0)) }
        let expected = Version.Entries(entries) { _, newer in newer }
        try demand(
            seen.trees == [Array("t".utf8): expected],
            "a snapshot of commit \(seen.commit) sees another")
    }
}
