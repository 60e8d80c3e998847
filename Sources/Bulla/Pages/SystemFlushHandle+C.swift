internal import CBullaShared
internal import Glibc
internal import Synchronization

/// A file of the operating system, opened once more for flushing.
///
/// It holds no lock: the locks belong to the ``SystemFile`` that made it.
final class SystemFlushHandle: FlushHandle {
    private let path: String
    private let descriptor: Int32
    /// The mapping of a part of the file, for flushing a range.
    private let window = Mutex(FlushWindow())
    private let canFlushRanges: Bool

    /// - Parameters:
    ///   - file: a descriptor of the file to open once more.
    ///   - flags: the access mode of `file`, which the handle gets too.
    ///   - canFlushRanges: whether the file system can flush a part of the file, and the file is
    ///     open for writing.
    init(
        _ file: Int32, _ flags: Int32, path: String, _ identity: FileIdentity, canFlushRanges: Bool
    ) throws(BullaError) {
        let flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        // Open the file by its descriptor, because another file may have the name by now. Without
        // `/proc`, only the name is left.
        var opened = unsafe bulla_open("/proc/thread-self/fd/\(file)", flags, 0)
        if opened < 0, errno == ENOENT { opened = unsafe bulla_open(path, flags, 0) }
        guard opened >= 0 else { throw BullaError.system("open \(path) to flush it") }
        var about = bulla_file_facts()
        guard unsafe bulla_file_look(opened, "", &about) else {
            let error = BullaError.system("stat \(path)")
            _ = Glibc.close(opened)
            throw error
        }
        guard FileIdentity(about) == identity else {
            _ = Glibc.close(opened)
            throw BullaError(.replaced, "open \(path) to flush it: another file has its name now")
        }
        try SystemFile.keepFromChildren(opened, "open \(path) to flush it")
        self.path = path
        descriptor = opened
        self.canFlushRanges = canFlushRanges
    }

    deinit {
        bulla_keep_in_child(descriptor)
        _ = Glibc.close(descriptor)
    }

    func close() {
        bulla_void_descriptor(descriptor)
        window.withLock { $0.unmap() }
    }

    func flush() throws(BullaError) {
        // Do not retry a failed flush, not even after EINTR: nothing is known about what it made
        // durable.
        guard fdatasync(descriptor) == 0 else { throw BullaError.system("flush \(path)") }
    }

    func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        guard canFlushRanges else { return try flush() }
        try window.withLock { window throws(BullaError) in
            switch window.flush(descriptor, at: offset, byteCount: byteCount) {
            case .done: return
            case .notMapped: try flush()
            case .refused(let number):
                throw BullaError.system(
                    "flush \(byteCount) bytes of \(path) at byte \(offset)", number)
            }
        }
    }
}
