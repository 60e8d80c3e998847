internal import BullaMemory

/// Where a world's words lie.
protocol WorldMemory: AnyObject, Sendable {
    var bytes: MutableByteView { get }
    /// Whether an access to the words failed, and was answered with zeros.
    var hasFaulted: Bool { get }
}

/// A world in its file, which all processes that join it have mapped.
final class MappedWorld: WorldMemory {
    private let mapping: FileMapping

    init(_ mapping: consuming FileMapping) { self.mapping = mapping }

    var bytes: MutableByteView { mapping.bytes }
    var hasFaulted: Bool { mapping.hasFaulted }
}

/// A world in the memory of one process; no other process can join it.
final class OwnWorld: WorldMemory {
    private let region: AnonymousRegion

    init(byteCount: Int) throws(BullaError) {
        do { region = try AnonymousRegion(byteCount: byteCount) } catch {
            throw BullaError.memory("reserve memory in place of a coordination file", error)
        }
    }

    var bytes: MutableByteView { region.bytes }
    var hasFaulted: Bool { false }
}

/// Takes the place of a missing coordination file, and accepts every request for space.
final class NoWorldFile: StorageFile {
    let path: String

    init(path: String) { self.path = path }

    var identity: FileIdentity { FileIdentity(device: 0, inode: 0) }
    var fileSystemKind: UInt64 { 0 }

    func byteCount() throws(BullaError) -> UInt64 { UInt64(WorldLayout.byteLimit) }
    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {}
    func truncate(to byteCount: UInt64) throws(BullaError) {}
    func space() -> StorageSpace { StorageSpace(availableByteCount: nil, fileByteLimit: nil) }
    func flush() throws(BullaError) {}
    func openFlushHandle() throws(BullaError) -> any FlushHandle { throw missing }
    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool { true }
    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        false
    }
    func close() {}

    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) { throw missing }
    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) { throw missing }
    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        throw missing
    }

    private var missing: BullaError {
        BullaError(.io, "use \(path): this process does without a coordination file")
    }
}
