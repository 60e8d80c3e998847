import Bulla
import BullaMemory
import BullaSimulation
import Synchronization

/// A simulated process that does something once, right after its next flush of a range.
final class HookedStorage: StorageSystem {
    private let process: SimulatedProcess
    private let hook = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ disk: SimulatedDisk) { process = SimulatedProcess(disk) }

    func afterFlush(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

    fileprivate func run() {
        let body = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        body?()
    }

    func resolve(_ path: String) throws(BullaError) -> String { path }
    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        HookedFile(try process.open(path, mode), self)
    }
    func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        try process.link(path, as: name)
    }
    func rename(_ path: String, to name: String) throws(BullaError) {
        try process.rename(path, to: name)
    }
    func remove(_ path: String) throws(BullaError) { try process.remove(path) }
    func identity(of path: String) throws(BullaError) -> FileIdentity? {
        try process.identity(of: path)
    }
    func flushFolder(of path: String) throws(BullaError) { try process.flushFolder(of: path) }
    func bootIdentifier() -> Identifier { process.bootIdentifier() }
}

private final class HookedFile: StorageFile {
    private let base: any StorageFile
    private let storage: HookedStorage

    init(_ base: any StorageFile, _ storage: HookedStorage) {
        (self.base, self.storage) = (base, storage)
    }

    var path: String { base.path }
    var identity: FileIdentity { base.identity }
    var fileSystemKind: UInt64 { base.fileSystemKind }
    func byteCount() throws(BullaError) -> UInt64 { try base.byteCount() }
    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        try base.read(bytes, at: offset)
    }
    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) {
        try base.write(bytes, at: offset)
    }
    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try base.allocate(at: offset, byteCount: byteCount)
    }
    func truncate(to byteCount: UInt64) throws(BullaError) { try base.truncate(to: byteCount) }
    func space() -> StorageSpace { base.space() }
    func flush() throws(BullaError) { try base.flush() }
    func openFlushHandle() throws(BullaError) -> any FlushHandle {
        HookedHandle(try base.openFlushHandle(), storage)
    }
    func map(
        at offset: UInt64, byteCount: Int, isWritable: Bool
    ) throws(BullaError) -> FileMapping {
        try base.map(at: offset, byteCount: byteCount, isWritable: isWritable)
    }
    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        try base.lock(byte, kind)
    }
    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        try base.isLocked(bytes, against: kind)
    }
    func close() { base.close() }
}

private final class HookedHandle: FlushHandle {
    private let base: any FlushHandle
    private let storage: HookedStorage

    init(_ base: any FlushHandle, _ storage: HookedStorage) {
        (self.base, self.storage) = (base, storage)
    }

    func flush() throws(BullaError) { try base.flush() }
    func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try base.flush(at: offset, byteCount: byteCount)
        storage.run()
    }
    func close() { base.close() }
}
