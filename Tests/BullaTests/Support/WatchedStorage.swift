import Bulla
import BullaMemory
import Synchronization

/// The system's files, with somebody who looks at every write, flush and look at a lock.
final class WatchedStorage: StorageSystem {
    /// What was done to a file.
    enum Event: Equatable {
        case write(path: String, offset: UInt64, byteCount: Int)
        case flush(path: String)
        /// Told after it was done.
        case probe(path: String, isLocked: Bool)
    }

    private let system = SystemStorage()
    private let watch: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - watch: is told of a write or flush before it is done.
    init(_ watch: @escaping @Sendable (Event) -> Void) { self.watch = watch }

    func resolve(_ path: String) throws(BullaError) -> String { try system.resolve(path) }

    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        WatchedFile(try system.open(path, mode), watch)
    }

    func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        try system.link(path, as: name)
    }

    func rename(_ path: String, to name: String) throws(BullaError) {
        try system.rename(path, to: name)
    }

    func remove(_ path: String) throws(BullaError) { try system.remove(path) }

    func identity(of path: String) throws(BullaError) -> FileIdentity? {
        try system.identity(of: path)
    }

    func flushFolder(of path: String) throws(BullaError) { try system.flushFolder(of: path) }
    func bootIdentifier() -> Identifier { system.bootIdentifier() }
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

    func byteCount() throws(BullaError) -> UInt64 { try file.byteCount() }

    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        try file.read(bytes, at: offset)
    }

    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) {
        watch(.write(path: path, offset: offset, byteCount: bytes.byteCount))
        try file.write(bytes, at: offset)
    }

    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try file.allocate(at: offset, byteCount: byteCount)
    }

    func flush() throws(BullaError) {
        watch(.flush(path: path))
        try file.flush()
    }

    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        try file.map(at: offset, byteCount: byteCount, isWritable: isWritable)
    }

    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        try file.lock(byte, kind)
    }

    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        let isLocked = try file.isLocked(bytes, against: kind)
        watch(.probe(path: path, isLocked: isLocked))
        return isLocked
    }

    func close() { file.close() }
}
