import Bulla
import BullaCipher
import BullaMemory
import BullaProcessSupport
import BullaWorker
import Glibc

/// A store's keys, by name and as bytes to search for.
struct StoreKeys {
    /// A key of a store; each half is also searched for.
    enum Name: CaseIterable {
        case user, master
        /// The key of the first epoch of the store's history.
        case data
        case meta
        /// The key of the first era of the store's present world.
        case board
    }

    private var keys: [(name: Name, bytes: [UInt8])] = []

    /// No keys, for a plain store.
    init() {}

    /// - Parameters:
    ///   - path: the path of the store. Some process has the store open, so the store has a world.
    ///   - file: the store's bytes, or the first 64 KiB of them.
    ///   - world: the bytes of its coordination file.
    ///   - userKey: 64 bytes.
    init(path: String, file: [UInt8], world: [UInt8], userKey: [UInt8]) throws {
        // SAFETY: integers may be read as bytes.
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

    /// What a board's first key is bound to: the coordination file's data about its world, the
    /// file's own identity, and the number of an era, here the first.
    private static func binding(_ world: [UInt8], _ path: String) -> [UInt8] {
        var about = stat()
        // SAFETY: the call writes `about`, which is read afterwards.
        _ = unsafe stat(path, &about)
        // This number is combined from two, as by makedev(3) of the C library.
        let device = UInt64(about.st_dev)
        let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xfff00)
        let identity = [major << 32 | minor, UInt64(about.st_ino)]
        return world[32..<80] + identity.flatMap { $0.bytes.reversed() }
            + [UInt8](repeating: 0, count: 8)
    }

    var search: CanarySearch { CanarySearch(keys.map(\.bytes)) }

    func names(_ found: Set<Int>) -> Set<Name> { Set(found.map { keys[$0].name }) }
}
