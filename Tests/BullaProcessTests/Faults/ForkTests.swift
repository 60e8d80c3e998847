import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `A fork with a store open` {
    private static let isRefusedTwice = UInt64(BullaError.Code.usedAfterFork.number * 101)
    private let files: TestStore
    private let records = Records(count: 500)

    init() throws { files = try TestStore(.gcm) }

    @Test func `26. gives a child that may do nothing and harms nothing`() throws {
        let store = try files.open { $0.lockTimeout = .milliseconds(50) }
        try records.write(to: store, version: 0, durability: .full)
        let parent = try files.obedient()
        try parent.ask(.open)
        let whole = try parent.ask(.read)
        try parent.ask(.beginWrite)
        #expect(try parent.ask(.fork) == Self.isRefusedTwice)
        // The child has closed its copy and ended; the parent is still the writer, and still reads.
        #expect(throws: BullaError.self) { try records.touch(store, version: 1) }
        #expect(try parent.ask(.read) == whole)
        try parent.ask(.endWrite)
        #expect(try parent.ask(.write) == 1)
        try records.touch(store, version: 1)
        #expect(try parent.ask(.fork) == Self.isRefusedTwice)
        #expect(try parent.ask(.write) == 2)
        _ = try parent.stop()
        try files.expectSound(store)
    }

    /// A writer with a short log already changes pages when it forks.
    @Test(arguments: [UInt64(4 << 20), 64 << 10])
    func `26. in a part of a transaction gives a child that gets an error, and does not trap`(
        logHalfByteCount: UInt64
    ) throws {
        try files.open { $0.fixLog(halfByteCount: logHalfByteCount) }.close()
        let parent = try files.obedient()
        try parent.ask(.open)
        let told = try parent.ask(.forkInSavepoint)
        #expect(told == UInt64(BullaError.Code.usedAfterFork.number))
        try parent.ask(.close)
        _ = try parent.stop()
        let store = try files.open()
        let values = try store.read { snapshot in
            let tree = try snapshot.tree(named: "forked")
            return try ["key", "large"].map { try snapshot.value(forKey: $0, in: tree) }
        }
        #expect(values == [Array("after".utf8), [UInt8](repeating: 7, count: 1_300_000)])
        try files.expectSound(store)
    }

    @Test func `26. in a scan gives a child that gets an error at the end of the leaf`() throws {
        try files.open().close()
        let parent = try files.obedient()
        try parent.ask(.open)
        try parent.ask(.fillForScan)
        try parent.ask(.close)
        // A store that has just been opened has an empty cache.
        try parent.ask(.open)
        let told = try parent.ask(.forkInScan)
        #expect(told == UInt64(BullaError.Code.usedAfterFork.number))
        try parent.ask(.close)
        _ = try parent.stop()
    }

    @Test func `26. gives a child that opens the store with a key of its own, not its parent's`()
        throws
    {
        try files.open().close()
        let parent = try files.obedient()
        let told = try parent.ask(.forkAndOpen)
        #expect(told == UInt64(BullaError.Code.outOfMemory.number * 100))
        // The parent's key is unharmed.
        try parent.ask(.open)
        #expect(try parent.ask(.write) == 1)
        _ = try parent.stop()
    }

    /// The child gives up its parent's files even if it cannot open anything in their place.
    @Test(arguments: [WorkerOrder.forkAndStay, .forkWithoutFiles])
    func `26. gives a child that keeps no lock of its dead parent`(order: WorkerOrder) throws {
        try files.open().close()
        let parent = try files.obedient()
        try parent.ask(.open)
        _ = try parent.ask(.read)
        try parent.ask(.beginWrite)
        let locks = try LockProbe(files.path)
        let bytes = [LockByte.presence, LockByte.writer, LockByte.slot(0)]
        for byte in bytes { #expect(try locks.isHeld(byte)) }
        #expect(try parent.ask(order) == Self.isRefusedTwice)
        for byte in bytes { #expect(try locks.isHeld(byte)) }

        _ = try parent.kill()
        for byte in bytes { #expect(try !locks.isHeld(byte)) }
        let store = try files.open { $0.lockTimeout = .milliseconds(50) }
        try records.touch(store, version: 0)
        try files.expectSound(store)
        parent.child.closeInput()
    }
}
