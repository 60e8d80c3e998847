import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `A file system` {
    /// The system's files, which report another kind of file system.
    private struct Elsewhere: StorageSystem {
        let kind: UInt64
        private let base = SystemStorage()

        init(kind: UInt64) { self.kind = kind }

        func resolve(_ path: String) throws(BullaError) -> String { try base.resolve(path) }
        func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
            RelabelledFile(try base.open(path, mode), kind: kind)
        }
        func link(_ path: String, as name: String) throws(BullaError) -> Bool {
            try base.link(path, as: name)
        }
        func rename(_ path: String, to name: String) throws(BullaError) {
            try base.rename(path, to: name)
        }
        func remove(_ path: String) throws(BullaError) { try base.remove(path) }
        func identity(of path: String) throws(BullaError) -> FileIdentity? {
            try base.identity(of: path)
        }
        func flushFolder(of path: String) throws(BullaError) {
            try base.flushFolder(of: path)
        }
        func bootIdentifier() -> Identifier { base.bootIdentifier() }
    }

    /// Kinds of file systems whose locks cannot carry a store, as numbered by statfs(2).
    private static let refused: [UInt64] = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x564C, 0x0102_1997, 0x5346_414F, 0x6B41_4653,
        0x7375_7245, 0x00C3_6400, 0x7461_636F, 0x00C0_FFEE, 0x6573_5546, 0x0116_1970, 0x2003_0528,
        0x786F_4256, 0x0BD0_0BD0, 0x1983_0326, 0xBACB_ACBC, 0x554F_4353, 0xAAD7_AAEA, 0x4750_4653,
        0x6163_6673, 0x0131_11A8, 0x7C7C_6673, 0xBEEF_DEAD, 0xA501_FCF5, 0x1803_1977,
    ]
    /// ext4, XFS, Btrfs, ZFS, F2FS, tmpfs, overlay, exFAT, FAT, and one without a number.
    private static let local: [UInt64] = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0x2FC1_2FC1, 0xF2F5_2010, 0x0102_1994, 0x794C_7630,
        0x2011_BAB0, 0x4D44, 0,
    ]

    @Test(arguments: refused)
    func `30. whose locks cannot carry a store is refused, and nothing is left`(
        kind: UInt64
    ) throws {
        let files = try TestStore(.gcm)
        do {
            try open(files, kind)
            Issue.record("it was made there")
        } catch let error as BullaError {
            #expect(error.code == .unsupportedFileSystem)
            #expect(error.message.hasPrefix("open \(files.path): "), "\(error)")
        }
        #expect(try files.scratch.names() == [])
        try files.open().close()
        let bytes = try files.scratch.bytes(TestStore.name)
        #expect(refusal { try open(files, kind) } == .unsupportedFileSystem)
        #expect(try files.scratch.names() == [TestStore.name])
        #expect(try files.scratch.bytes(TestStore.name) == bytes)
        // If a number's sign bit is set, the kernel may extend the sign to 64 bits.
        #expect(
            refusal { try open(files, kind | 0xFFFF_FFFF_0000_0000) } == .unsupportedFileSystem)
    }

    @Test(arguments: local)
    func `30. of this machine carries one`(kind: UInt64) throws {
        let files = try TestStore(.gcm)
        #expect(refusal { try open(files, kind) } == nil)
    }

    private func open(_ files: TestStore, _ kind: UInt64) throws {
        _ = try Store.open(
            at: files.path, key: files.key(), options: StoreOptions(),
            storage: Elsewhere(kind: kind))
    }

    @Test(.enabled(if: Privilege.mounts, "mounting is not permitted"))
    func `30. that is read-only is for readers, until it no longer is`() throws {
        let files = try TestStore(.gcm)
        let disk = try SmallDisk(files.scratch, byteCount: 8 << 20)
        try files.open().close()
        try disk.remount("ro")
        #expect(refusal { _ = try files.open() } == .io)
        let readers = try (0..<2).map { _ in try files.open { $0.access = .readOnly } }
        for reader in readers { #expect(try reader.info.sharing == .readers) }
        for reader in readers { try reader.close() }
        let immutable = try files.open { $0.access = .immutable }
        #expect(try immutable.read { try $0.digestOfAll() } == 0)
        try immutable.close()
        #expect(try files.scratch.names() == [TestStore.name])
        try disk.remount("rw")
        let store = try files.open()
        #expect(try Bump.write(to: store) == 1)
        try store.close()
        try disk.remove()
    }

    @Test(.enabled(if: Privilege.mounts, "mounting is not permitted"))
    func `30. of layers carries a store that comes from the lower one`() throws {
        let files = try TestStore(.gcm)
        let disk = try SmallDisk(files.scratch, byteCount: 16 << 20)
        try files.open().close()
        try disk.coverWithLayer()
        let workers = try (0..<2).map { _ in try files.obedient() }
        for worker in workers { try worker.ask(.open) }
        for number in 1...4 {
            #expect(try workers[number % 2].ask(.write) == UInt64(number))
        }
        for worker in workers { _ = try worker.stop() }
        let store = try files.open()
        #expect(try Bump.write(to: store) == 5)
        try files.expectSound(store)
        try store.close()
        try disk.remove()
    }
}
