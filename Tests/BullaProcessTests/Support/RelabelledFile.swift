import Bulla
import BullaMemory
import BullaTestSupport

/// A file that reports another kind of file system.
final class RelabelledFile: StorageFile {
    private let base: any StorageFile
    let fileSystemKind: UInt64

    init(_ base: any StorageFile, kind: UInt64) {
        self.base = base
        fileSystemKind = kind
    }

    var path: String { base.path }
    var identity: FileIdentity { base.identity }
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
    func openFlushHandle() throws(BullaError) -> any FlushHandle { try base.openFlushHandle() }
    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
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
