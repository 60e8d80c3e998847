package import BullaMemory

/// The one door between the engine and files: every read, write, flush, mapping and lock goes
/// through it, so that a simulated disk can stand in its place.
package protocol StorageFile: AnyObject, Sendable {
    var path: String { get }
    /// What tells this file from every other one of the machine.
    var identity: FileIdentity { get }
    /// The system's name for the file system's kind (`statfs`), 0 where unknown.
    var fileSystemKind: UInt64 { get }

    func byteCount() throws(BullaError) -> UInt64
    /// Fills `bytes`, or throws: a file that ends before is `corrupted`.
    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError)
    /// Writes all of `bytes`, or throws.
    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError)
    /// Gives the range blocks of the disk, and makes the file long enough.
    ///
    /// Its bytes read as zero.
    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError)
    /// Cuts the file short; the disk knows of it after a flush.
    func truncate(to byteCount: UInt64) throws(BullaError)
    /// How much room there is for the file to grow.
    func space() -> StorageSpace
    /// Makes everything written so far durable (`fdatasync`).
    ///
    /// Of a write-back that failed, each open file is told once: two who flush at the same time
    /// need two handles (``openFlushHandle()``).
    func flush() throws(BullaError)
    /// Lets the disk begin with a part of the file, so that a later flush has less to do.
    ///
    /// Makes nothing durable. Waits where the disk has more to do than its queue takes.
    func startWriteBack(at offset: UInt64, byteCount: UInt64)
    /// Waits until the disk is done with what it has begun with in a part of the file.
    ///
    /// Makes nothing durable.
    ///
    /// - Throws: `io`, `full` when a write-back of the file has failed, of which ``flush()`` then
    ///   does not tell any more; handles that were opened to flush do.
    func awaitWriteBack(at offset: UInt64, byteCount: UInt64) throws(BullaError)
    /// Opens the same file once more, to flush it alone.
    ///
    /// The handle is told of every write-back that fails from now on, whoever else was told before.
    /// ``close()`` gives it up too.
    func openFlushHandle() throws(BullaError) -> any FlushHandle
    /// Maps a part, past the end too.
    ///
    /// Words in it may be accessed if `isWritable`.
    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping

    /// Takes, changes or gives up the lock on one byte; `false`: somebody else's lock excludes it.
    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool
    /// Whether somebody else's lock on one of the bytes would exclude this one.
    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool

    func close()
}

extension StorageFile {
    package func startWriteBack(at offset: UInt64, byteCount: UInt64) {}
    package func awaitWriteBack(at offset: UInt64, byteCount: UInt64) throws(BullaError) {}

    /// Whether somebody else's lock would exclude this one.
    package func isLocked(_ byte: UInt64, against kind: LockKind) throws(BullaError) -> Bool {
        try isLocked(byte..<byte + 1, against: kind)
    }
}

/// How much room a file has to grow; `nil` where nothing is known, or no limit set.
package struct StorageSpace: Sendable {
    /// Bytes that the file system has left for this user.
    package let availableByteCount: UInt64?
    /// How long a file this process may make.
    package let fileByteLimit: UInt64?

    package init(availableByteCount: UInt64?, fileByteLimit: UInt64?) {
        self.availableByteCount = availableByteCount
        self.fileByteLimit = fileByteLimit
    }
}

/// Files by their paths.
package protocol StorageSystem: Sendable {
    /// The one absolute name of a file, there or not yet, whatever links lead to it.
    func resolve(_ path: String) throws(BullaError) -> String
    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile
    /// Gives a file a second name; `false` where that name is taken.
    func link(_ path: String, as name: String) throws(BullaError) -> Bool
    /// Gives a file another name, in place of whatever has it.
    func rename(_ path: String, to name: String) throws(BullaError)
    /// Removes a name; nothing happens where it is not there.
    func remove(_ path: String) throws(BullaError)
    /// The file that has this name now, or `nil`.
    func identity(of path: String) throws(BullaError) -> FileIdentity?
    /// Makes names in the folder of `path` durable.
    func flushFolder(of path: String) throws(BullaError)
    /// Changes with every start of the machine.
    func bootIdentifier() -> Identifier
}

/// How a file is opened.
package enum OpenMode: Sendable {
    case reading
    case writing
    /// Creates the file, which must not be there, for its owner alone to read and write.
    case creating
}

/// A file of this machine, by device and inode.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// A lock on one byte, held by an open file and given up by the kernel when that goes away.
package enum LockKind: Sendable {
    case none, shared, exclusive
}
