internal import BullaMemory
internal import CBullaShared
internal import Glibc
internal import Synchronization

/// A file of the operating system.
final class SystemFile: StorageFile {
    let path: String
    let identity: FileIdentity
    let fileSystemKind: UInt64
    private let descriptor: Int32
    /// The access mode: for reading only, or for writing too.
    private let access: Int32
    private let flushHandles = Mutex<[WeakHandle]>([])

    private struct WeakHandle {
        weak var handle: SystemFlushHandle?
    }

    init(_ path: String, _ mode: OpenMode) throws(BullaError) {
        let flags: Int32 =
            switch mode {
            case .reading: O_RDONLY
            case .writing: O_RDWR
            case .creating: O_RDWR | O_CREAT | O_EXCL
            }
        let descriptor = unsafe bulla_open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            if errno == EISDIR || errno == ENXIO { throw Self.notAFile(path) }
            throw BullaError.system("open \(path)")
        }
        var about = bulla_file_facts()
        guard unsafe bulla_file_look(descriptor, "", &about) else {
            let error = BullaError.system("stat \(path)")
            _ = Glibc.close(descriptor)
            throw error
        }
        guard about.is_regular else {
            _ = Glibc.close(descriptor)
            throw Self.notAFile(path)
        }
        try Self.keepFromChildren(descriptor, "open \(path)")
        self.path = path
        self.descriptor = descriptor
        access = flags & O_ACCMODE
        identity = FileIdentity(about)
        fileSystemKind = bulla_file_system_kind(descriptor)
    }

    /// Keeps forked children from using a newly opened file; closes the file if that fails.
    static func keepFromChildren(_ descriptor: Int32, _ attempt: String) throws(BullaError) {
        if bulla_forget_in_child(descriptor) { return }
        _ = Glibc.close(descriptor)
        throw BullaError(
            .io, "\(attempt): too many files are open to keep forked children from one more",
            errno: EMFILE)
    }

    private static func notAFile(_ path: String) -> BullaError {
        BullaError(.notAStore, "open \(path): it is not a regular file")
    }

    deinit {
        close()
        bulla_keep_in_child(descriptor)
        _ = Glibc.close(descriptor)
    }

    /// Closes the file and releases all its locks, but keeps the descriptor's number taken.
    ///
    /// Otherwise a late call could reach another file that got the same number.
    func close() {
        bulla_void_descriptor(descriptor)
        for handle in flushHandles.withLock({ $0.compactMap(\.handle) }) { handle.close() }
    }

    func byteCount() throws(BullaError) -> UInt64 {
        var about = bulla_file_facts()
        guard unsafe bulla_file_look(descriptor, "", &about) else {
            throw BullaError.system("stat \(path)")
        }
        return about.byte_count
    }

    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        var done = 0
        while done < bytes.byteCount {
            let count = unsafe pread(
                descriptor, bytes.base + done, bytes.byteCount - done,
                off_t(truncatingIfNeeded: offset) &+ done)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw BullaError.system("read \(path) at byte \(offset)") }
            guard count > 0 else {
                throw BullaError(
                    .corrupted, "read \(path) at byte \(offset): the file ends after \(done) bytes")
            }
            done += count
        }
    }

    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) {
        try checkLimit(offset, UInt64(bytes.byteCount))
        var done = 0
        while done < bytes.byteCount {
            let count = unsafe pwrite(
                descriptor, bytes.base + done, bytes.byteCount - done,
                off_t(truncatingIfNeeded: offset) &+ done)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw BullaError.system(
                    "write \(bytes.byteCount) bytes to \(path) at byte \(offset)",
                    count == 0 ? ENOSPC : errno)
            }
            done += count
        }
    }

    /// Refuses a write that would end past the limit on a file's size.
    ///
    /// The system would refuse the write too, but with a signal (SIGXFSZ) that kills an unprepared
    /// program, and the library must not change how a program handles signals.
    private func checkLimit(_ offset: UInt64, _ byteCount: UInt64) throws(BullaError) {
        let limit = bulla_file_byte_limit()
        guard limit != .max else { return }
        let (end, isOver) = offset.addingReportingOverflow(byteCount)
        guard isOver || end > limit else { return }
        throw BullaError(
            .full,
            "write to \(path) up to byte \(end): this process may make files of \(limit) bytes; "
                + "raise its limit (ulimit -f)", errno: EFBIG)
    }

    func space() -> StorageSpace {
        let (left, limit) = (bulla_file_space_left(descriptor), bulla_file_byte_limit())
        return StorageSpace(
            availableByteCount: left == .max ? nil : left,
            fileByteLimit: limit == .max ? nil : limit)
    }

    func truncate(to byteCount: UInt64) throws(BullaError) {
        while ftruncate(descriptor, off_t(byteCount)) != 0 {
            guard errno == EINTR else {
                throw BullaError.system("cut \(path) to \(byteCount) bytes")
            }
        }
    }

    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try checkLimit(offset, byteCount)
        // posix_fallocate returns its error, and leaves errno alone.
        var refusal = EINTR
        while refusal == EINTR {
            refusal = posix_fallocate(descriptor, off_t(offset), off_t(byteCount))
        }
        guard refusal == 0 else {
            throw BullaError.system("extend \(path) to \(offset + byteCount) bytes", refusal)
        }
    }

    func flush() throws(BullaError) {
        // Do not retry a failed flush, not even after EINTR: nothing is known about what it made
        // durable.
        guard fdatasync(descriptor) == 0 else { throw BullaError.system("flush \(path)") }
    }

    func startWriteBack(at offset: UInt64, byteCount: UInt64) {
        // Only a hint: a later flush reports any failure.
        _ = bulla_start_write_back(descriptor, offset, byteCount)
    }

    func awaitWriteBack(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        guard bulla_await_write_back(descriptor, offset, byteCount) else {
            throw BullaError.system(
                "write \(byteCount) bytes of \(path) at byte \(offset) to the disk")
        }
    }

    func openFlushHandle() throws(BullaError) -> any FlushHandle {
        let handle = try SystemFlushHandle(
            descriptor, access, path: path, identity, canFlushRanges: canFlushRanges)
        flushHandles.withLock { handles in
            handles.removeAll { $0.handle == nil }
            handles.append(WeakHandle(handle: handle))
        }
        return handle
    }

    /// Whether a flush of only a part of the file is known to make that part durable.
    ///
    /// This is known for ext4 (and for ext2 and ext3, which have the same magic number), XFS and
    /// tmpfs, if the file is open for writing.
    private var canFlushRanges: Bool {
        access == O_RDWR && [0xEF53, 0x5846_5342, 0x0102_1994].contains(fileSystemKind)
    }

    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        // For a read-only mapping, open the file again for reading only. No program can write
        // through a mapping of that descriptor, so when the kernel writes a page back, it need not
        // check the mapping.
        let reader: Int32 =
            isWritable
            ? -1 : unsafe bulla_open("/proc/thread-self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC, 0)
        defer { if reader >= 0 { _ = Glibc.close(reader) } }
        do {
            return try FileMapping(
                descriptor: reader >= 0 ? reader : descriptor, offset: offset,
                byteCount: byteCount, isWritable: isWritable)
        } catch {
            throw BullaError.memory("map \(byteCount) bytes of \(path) at byte \(offset)", error)
        }
    }

    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        let refusal = bulla_lock_byte(descriptor, Int64(byte), kind.inC)
        guard refusal == 0 || refusal == EAGAIN else {
            throw BullaError.system("lock \(path)", refusal)
        }
        return refusal == 0
    }

    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        let answer = bulla_lock_probe(
            descriptor, Int64(bytes.lowerBound), Int64(bytes.count), kind.inC)
        guard answer >= 0 else { throw BullaError.system("probe a lock of \(path)", -answer) }
        return answer == 1
    }
}

extension FileIdentity {
    init(_ about: bulla_file_facts) {
        self.init(device: about.device, inode: about.inode)
    }
}

extension LockKind {
    fileprivate var inC: bulla_lock_kind {
        switch self {
        case .none: BULLA_LOCK_NONE
        case .shared: BULLA_LOCK_SHARED
        case .exclusive: BULLA_LOCK_EXCLUSIVE
        }
    }
}

/// The operating system's files.
package struct SystemStorage: StorageSystem {
    package init() {}

    package func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        try SystemFile(path, mode)
    }

    package func resolve(_ path: String) throws(BullaError) -> String {
        if let whole = unsafe realpath(path, nil) {
            defer { unsafe free(whole) }
            return unsafe String(cString: whole)
        }
        guard errno == ENOENT else { throw BullaError.system("find \(path)") }
        // The recursion ends: for a loop of links, `realpath` fails with ELOOP, which is thrown
        // above.
        if let target = target(ofLink: path) { return try resolve(target) }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        guard let whole = unsafe realpath(folder, nil) else {
            throw BullaError.system("find \(folder)")
        }
        defer { unsafe free(whole) }
        let base = unsafe String(cString: whole)
        return base == "/" ? "/\(name)" : "\(base)/\(name)"
    }

    /// The path to which a symbolic link leads; `nil` if `path` is not a symbolic link.
    private func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, Int(PATH_MAX))
        guard count > 0 else { return nil }
        let name = bytes.prefix(count).map { UInt8(bitPattern: $0) }
        let target = String(decoding: name, as: UTF8.self)
        guard !target.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return target }
        return path[...slash] + target
    }

    package func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        if unsafe Glibc.link(path, name) == 0 { return true }
        guard errno == EEXIST else { throw BullaError.system("link \(path) as \(name)") }
        return false
    }

    package func rename(_ path: String, to name: String) throws(BullaError) {
        guard unsafe Glibc.rename(path, name) == 0 else {
            throw BullaError.system("rename \(path) to \(name)")
        }
    }

    package func remove(_ path: String) throws(BullaError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw BullaError.system("remove \(path)")
        }
    }

    package func identity(of path: String) throws(BullaError) -> FileIdentity? {
        // An empty path would name the working directory.
        guard !path.isEmpty else { return nil }
        var about = bulla_file_facts()
        if unsafe bulla_file_look(AT_FDCWD, path, &about) { return FileIdentity(about) }
        guard errno == ENOENT || errno == ENOTDIR else { throw BullaError.system("stat \(path)") }
        return nil
    }

    package func flushFolder(of path: String) throws(BullaError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe bulla_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw BullaError.system("open \(folder)") }
        defer { _ = Glibc.close(descriptor) }
        // A file system that cannot flush a folder returns EINVAL, and needs no flush.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw BullaError.system("flush \(folder)")
        }
    }

    package func bootIdentifier() -> Identifier {
        let descriptor = unsafe bulla_open(
            "/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return Identifier(high: 0, low: 0) }
        defer { _ = Glibc.close(descriptor) }
        var text = [UInt8](repeating: 0, count: 36)
        _ = unsafe text.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, 36) }
        let digits = text.filter { $0 != UInt8(ascii: "-") }.map { UInt64(hexDigit: $0) }
        return Identifier(
            high: digits.prefix(16).reduce(0) { $0 << 4 | $1 },
            low: digits.dropFirst(16).prefix(16).reduce(0) { $0 << 4 | $1 })
    }
}

extension UInt64 {
    fileprivate init(hexDigit byte: UInt8) {
        self = UInt64(Character(UnicodeScalar(byte)).hexDigitValue ?? 0)
    }
}
