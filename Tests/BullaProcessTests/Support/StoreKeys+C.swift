import Bulla
import BullaCipher
import BullaMemory
import BullaProcessSupport
import BullaWorker
import Glibc

/// What a store's keys are, by name and as bytes to search for.
struct StoreKeys {
    /// A key of a store, whose two halves are searched for with it.
    enum Name: CaseIterable {
        case user, master
        /// Of the first epoch of the store's history.
        case data
        case meta
        /// Of the first era of the world that the store is in.
        case board
    }

    private var keys: [(name: Name, bytes: [UInt8])] = []

    /// Of a plain store.
    init() {}

    /// - Parameters:
    ///   - path: the store, which somebody has open: so it has a world.
    ///   - file: its bytes, or the first 64 KiB of them.
    ///   - world: those of its coordination file.
    ///   - userKey: 64 bytes.
    init(path: String, file: [UInt8], world: [UInt8], userKey: [UInt8]) throws {
        // SAFETY: bytes of integers may be looked at as bytes.
        let key = try UserKey(copying: unsafe userKey.span.bytes)
        try unsafe file.span.bytes.withView { file in
            let header = try HeaderPage.read(file, of: "the store")
            let copies = [0, PageFormat.copyDistance].map {
                file.slice(PageFormat.keyringOffset + $0, Keyring.copyByteCount)
            }
            let master = try Keyring.open(
                copies: copies, userKey: key, fileIdentifier: header.fileIdentifier,
                headerDigest: header.digest
            ).takeMaster()
            let meta = file.slice(PageFormat.metaOffset, MetaField.byteCount)
            let record = CommitRecord(meta, at: MetaField.record.offset)
            let data = try master.dataKey(
                epoch: 1, suite: header.suite, history: record.keyHistory.bytes)
            let board = try master.boardKey(world: Self.binding(world, path + ".bulla-world"))
            keys = [
                (.user, userKey), (.master, master.withBytes { $0.withView { $0.copied() } }),
                (.data, data.withView { $0.copied() }),
                (.meta, try master.metaKey().withView { $0.copied() }),
                (.board, board.withView { $0.copied() }),
            ]
        }
    }

    /// What a board's first key is bound to: what the coordination file says of its world, where it
    /// lies itself, and the number of an era.
    private static func binding(_ world: [UInt8], _ path: String) -> [UInt8] {
        var about = stat()
        // SAFETY: `about` is written by the call and read after it.
        _ = unsafe stat(path, &about)
        // As makedev(3) of the C library puts the two numbers together.
        let device = UInt64(about.st_dev)
        let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xfff00)
        let identity = [major << 32 | minor, UInt64(about.st_ino)]
        return world[32..<80] + identity.flatMap { $0.bytes.reversed() }
            + [UInt8](repeating: 0, count: 8)
    }

    var search: CanarySearch { CanarySearch(keys.map(\.bytes)) }

    func names(_ found: Set<Int>) -> Set<Name> { Set(found.map { keys[$0].name }) }
}
