internal import BullaMemory

/// The data file of a process that only reads: it refuses writes, and takes no lock that a reader
/// cannot have or does not need.
///
/// A descriptor that is open only for reading cannot take an exclusive lock. So a reader claims a
/// slot with a shared lock, then asks whether another reader has the slot too, and if so, gives it
/// up. If two readers claim a slot at once, the one that asks last sees the other, so they never
/// both keep it. A writer tries to lock the slot exclusively; if that fails, the slot's owner is
/// alive.
final class ReadingFile: StorageFile {
    /// Which processes look at the locks.
    enum Company {
        /// Other processes write, and ask the kernel which readers are alive.
        case writers
        /// No process writes, and only the presence lock says that somebody reads.
        case readers
        /// No other process looks at the locks.
        case nobody
    }

    private let base: any StorageFile
    private let company: Company

    init(_ base: any StorageFile, among company: Company) {
        self.base = base
        self.company = company
    }

    var path: String { base.path }
    var identity: FileIdentity { base.identity }
    var fileSystemKind: UInt64 { base.fileSystemKind }

    func byteCount() throws(BullaError) -> UInt64 { try base.byteCount() }
    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        try base.read(bytes, at: offset)
    }
    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        try base.map(at: offset, byteCount: byteCount, isWritable: isWritable)
    }
    func space() -> StorageSpace { base.space() }
    func close() { base.close() }

    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) { throw refusal }
    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) { throw refusal }
    func truncate(to byteCount: UInt64) throws(BullaError) { throw refusal }
    func flush() throws(BullaError) { throw refusal }
    func openFlushHandle() throws(BullaError) -> any FlushHandle { RefusedFlush(refusal) }

    private var refusal: BullaError {
        BullaError(.readOnly, "write to \(path): it was opened for reading")
    }

    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        if case .exclusive = kind, LockByte.isOfWriters(byte) { return false }
        switch company {
        case .nobody: return true
        case .readers:
            // The slots are this process's own: nobody else looks at them.
            return LockByte.isOfSlots(byte) ? true : try base.lock(byte, kind)
        case .writers:
            guard case .exclusive = kind else { return try base.lock(byte, kind) }
            guard try base.lock(byte, .shared) else { return false }
            guard try base.isLocked(byte, against: .exclusive) else { return true }
            _ = try base.lock(byte, .none)
            return false
        }
    }

    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        if case .nobody = company { return false }
        return try base.isLocked(bytes, against: kind)
    }
}

/// The flush handle of a file that is only read.
private final class RefusedFlush: FlushHandle {
    private let refusal: BullaError

    init(_ refusal: BullaError) { self.refusal = refusal }

    func flush() throws(BullaError) { throw refusal }
    func close() {}
}
