package import BullaMemory

/// The engine's only access to files: every read, write, flush, mapping and lock.
///
/// A simulated disk can take its place.
package protocol StorageFile: AnyObject, Sendable {
    var path: String { get }
    /// The file's identity, which no other file of the machine has.
    var identity: FileIdentity { get }
    /// The kind of the file system, as `statfs` names it; 0 if unknown.
    var fileSystemKind: UInt64 { get }

    func byteCount() throws(BullaError) -> UInt64
    /// Fills `bytes`, or throws: `corrupted` if the file ends first.
    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError)
    /// Writes all of `bytes`, or throws.
    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError)
    /// Allocates disk blocks for the range, and makes the file long enough.
    ///
    /// The new bytes read as zero.
    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError)
    /// Cuts the file short; a later flush makes that durable.
    func truncate(to byteCount: UInt64) throws(BullaError)
    /// How much room there is for the file to grow.
    func space() -> StorageSpace
    /// Makes everything written so far durable (`fdatasync`).
    ///
    /// The kernel reports a failed write-back once to each open file, so two threads that flush at
    /// the same time need two handles (``openFlushHandle()``).
    func flush() throws(BullaError)
    /// Starts writing a part of the file to the disk, so that a later flush has less to do.
    ///
    /// This makes nothing durable. It waits if the disk's queue is full.
    func startWriteBack(at offset: UInt64, byteCount: UInt64)
    /// Waits until the write-back under way in a part of the file has ended.
    ///
    /// Makes nothing durable.
    ///
    /// - Throws: `io` or `full` if a write-back of the file has failed. ``flush()`` does not report
    ///   that failure again, but flush handles do.
    func awaitWriteBack(at offset: UInt64, byteCount: UInt64) throws(BullaError)
    /// Opens the same file once more, only so that it can be flushed.
    ///
    /// The handle reports every write-back that fails from now on, even if another open file has
    /// reported it. Closing this file closes the handle too.
    func openFlushHandle() throws(BullaError) -> any FlushHandle
    /// Maps a part of the file; the part may reach past the file's end.
    ///
    /// If `isWritable`, the mapping can be used for atomic words.
    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping

    /// Takes, changes or releases the lock on one byte; `false` if the lock of another open file
    /// prevents that.
    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool
    /// Whether another open file's lock on one of the bytes would prevent a lock of this kind.
    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool

    func close()
}

extension StorageFile {
    package func startWriteBack(at offset: UInt64, byteCount: UInt64) {}
    package func awaitWriteBack(at offset: UInt64, byteCount: UInt64) throws(BullaError) {}

    /// Whether another open file's lock on the byte would prevent a lock of this kind.
    package func isLocked(_ byte: UInt64, against kind: LockKind) throws(BullaError) -> Bool {
        try isLocked(byte..<byte + 1, against: kind)
    }
}

/// How much room a file has to grow; a field is `nil` if the number is unknown or there is no
/// limit.
package struct StorageSpace: Sendable {
    /// How many bytes the file system has left for this user.
    package let availableByteCount: UInt64?
    /// The longest file that this process may make, in bytes.
    package let fileByteLimit: UInt64?

    package init(availableByteCount: UInt64?, fileByteLimit: UInt64?) {
        self.availableByteCount = availableByteCount
        self.fileByteLimit = fileByteLimit
    }
}

/// The files of a system, by their paths.
package protocol StorageSystem: Sendable {
    /// The absolute path of a file, free of symbolic links, whether or not the file exists.
    func resolve(_ path: String) throws(BullaError) -> String
    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile
    /// Gives a file a second name; `false` if that name is taken.
    func link(_ path: String, as name: String) throws(BullaError) -> Bool
    /// Renames a file, and replaces any file that already has the new name.
    func rename(_ path: String, to name: String) throws(BullaError)
    /// Removes a name, if it exists.
    func remove(_ path: String) throws(BullaError)
    /// The file that has this name now, or `nil`.
    func identity(of path: String) throws(BullaError) -> FileIdentity?
    /// Makes the names in the folder that contains `path` durable.
    func flushFolder(of path: String) throws(BullaError)
    /// An identifier that changes with every start of the machine.
    func bootIdentifier() -> Identifier
}

/// How a file is opened.
package enum OpenMode: Sendable {
    case reading
    case writing
    /// Creates the file, which must not exist; only its owner may read and write it.
    case creating
}

/// Identifies a file of this machine, by device and inode.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// An open file's lock on one byte; the kernel releases it when the file is closed.
package enum LockKind: Sendable {
    case none, shared, exclusive
}
