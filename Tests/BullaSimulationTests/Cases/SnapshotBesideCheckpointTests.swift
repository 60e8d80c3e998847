import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A snapshot of one process while another commits and makes checkpoints.
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

/// A writing process and a reading one.
private final class SnapshotBesideCheckpoint {
    static let configurations = [CipherSuite.aes256GCM, nil].map {
        var configuration = Configuration(suite: $0, pageByteCount: 4096)
        // No half fills up before the snapshot begins, so no checkpoint starts by itself.
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

    /// Commits and a checkpoint come after a snapshot has begun, but before it claims its trees.
    func begin() throws {
        // This snapshot holds a slot, so the next one has to lock another.
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

    /// Checkpoints take over what a snapshot sees, free the pages of its trees, and fill other
    /// pages.
    func hold() throws {
        // All five values are replaced, so all pages of the snapshot's trees become free at once: a
        // run of pages for later checkpoints.
        try Self.commit(5, writer)
        // Pages that the snapshot has not read yet are not in its memory.
        let snapshot = try reader.makeSnapshot(visibility: .published)
        for _ in 0..<60 {
            try writer.checkpoint()
            try Self.commit(3, writer)
        }
        try Self.expectOne(snapshot)
    }

    /// Each commit puts its number under the next of five keys.
    private static func commit(_ count: Int, _ store: Store) throws {
        for _ in 0..<count {
            let number = UInt8(try store.info.commit + 1)
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.put(value(number), forKey: [number % 5], in: tree)
            }
        }
    }

    /// A value of two pages, so that checkpoints soon run out of free pages.
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
