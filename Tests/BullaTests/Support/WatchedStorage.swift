import Bulla
import BullaMemory
import BullaTestSupport
import Synchronization

/// The system's files, with an observer that is told of the calls, and of some in detail.
final class WatchedStorage: StorageSystem {
    /// An event on a file.
    enum Event: Equatable {
        /// A call that ``FileCall`` lists, reported before it is made; the other events give the
        /// details of certain calls.
        case call(FileCall)
        case write(path: String, offset: UInt64, byteCount: Int)
        case flush(path: String)
        case startWriteBack(Range<UInt64>)
        case awaitWriteBack(Range<UInt64>)
        /// Reported after the probe, with its answer.
        case probe(path: String, isLocked: Bool)
    }

    private let system = SystemStorage()
    private let watch: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - watch: receives each event: a `probe` after the call is made, any other event before.
    init(_ watch: @escaping @Sendable (Event) -> Void) { self.watch = watch }

    func resolve(_ path: String) throws(BullaError) -> String {
        watch(.call(.resolve))
        return try system.resolve(path)
    }

    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        watch(.call(.open))
        return WatchedFile(try system.open(path, mode), watch)
    }

    func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        watch(.call(.link))
        return try system.link(path, as: name)
    }

    func rename(_ path: String, to name: String) throws(BullaError) {
        watch(.call(.rename))
        try system.rename(path, to: name)
    }

    func remove(_ path: String) throws(BullaError) {
        watch(.call(.remove))
        try system.remove(path)
    }

    func identity(of path: String) throws(BullaError) -> FileIdentity? {
        watch(.call(.identity))
        return try system.identity(of: path)
    }

    func flushFolder(of path: String) throws(BullaError) {
        watch(.call(.flushFolder))
        try system.flushFolder(of: path)
    }

    func bootIdentifier() -> Identifier {
        watch(.call(.bootIdentifier))
        return system.bootIdentifier()
    }
}

/// A call in the interface between the engine and files.
enum FileCall: CaseIterable {
    // Calls to the storage system.
    case resolve, open, link, rename, remove, identity, flushFolder, bootIdentifier
    // Calls to a file.
    case byteCount, read, write, allocate, truncate, flush, openFlushHandle, map, lock, isLocked
}

private final class WatchedFile: StorageFile {
    private let file: any StorageFile
    private let watch: @Sendable (WatchedStorage.Event) -> Void

    init(_ file: any StorageFile, _ watch: @escaping @Sendable (WatchedStorage.Event) -> Void) {
        self.file = file
        self.watch = watch
    }

    var path: String { file.path }
    var identity: FileIdentity { file.identity }
    var fileSystemKind: UInt64 { file.fileSystemKind }

    func byteCount() throws(BullaError) -> UInt64 {
        watch(.call(.byteCount))
        return try file.byteCount()
    }

    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        watch(.call(.read))
        try file.read(bytes, at: offset)
    }

    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) {
        watch(.call(.write))
        watch(.write(path: path, offset: offset, byteCount: bytes.byteCount))
        try file.write(bytes, at: offset)
    }

    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        watch(.call(.allocate))
        try file.allocate(at: offset, byteCount: byteCount)
    }

    func truncate(to byteCount: UInt64) throws(BullaError) {
        watch(.call(.truncate))
        try file.truncate(to: byteCount)
    }

    func space() -> StorageSpace { file.space() }

    func flush() throws(BullaError) {
        watch(.call(.flush))
        watch(.flush(path: path))
        try file.flush()
    }

    func startWriteBack(at offset: UInt64, byteCount: UInt64) {
        watch(.startWriteBack(offset..<offset + byteCount))
        file.startWriteBack(at: offset, byteCount: byteCount)
    }

    func awaitWriteBack(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        watch(.awaitWriteBack(offset..<offset + byteCount))
        try file.awaitWriteBack(at: offset, byteCount: byteCount)
    }

    func openFlushHandle() throws(BullaError) -> any FlushHandle {
        watch(.call(.openFlushHandle))
        return WatchedHandle(try file.openFlushHandle(), path: path, watch)
    }

    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        watch(.call(.map))
        return try file.map(at: offset, byteCount: byteCount, isWritable: isWritable)
    }

    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        watch(.call(.lock))
        return try file.lock(byte, kind)
    }

    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        watch(.call(.isLocked))
        let isLocked = try file.isLocked(bytes, against: kind)
        watch(.probe(path: path, isLocked: isLocked))
        return isLocked
    }

    func close() { file.close() }
}

private final class WatchedHandle: FlushHandle {
    private let handle: any FlushHandle
    private let path: String
    private let watch: @Sendable (WatchedStorage.Event) -> Void

    init(
        _ handle: any FlushHandle, path: String,
        _ watch: @escaping @Sendable (WatchedStorage.Event) -> Void
    ) {
        self.handle = handle
        self.path = path
        self.watch = watch
    }

    func flush() throws(BullaError) {
        watch(.call(.flush))
        watch(.flush(path: path))
        try handle.flush()
    }

    func close() { handle.close() }
}
