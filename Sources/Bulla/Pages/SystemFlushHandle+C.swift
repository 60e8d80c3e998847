internal import CBullaShared
internal import Glibc
internal import Synchronization

/// A file of the operating system, opened once more to be flushed.
///
/// It holds no lock: those belong to the file that it was made from.
final class SystemFlushHandle: FlushHandle {
    private let path: String
    private let descriptor: Int32
    /// Where a part of the file is mapped, to be flushed by its addresses.
    private let window = Mutex(FlushWindow())
    private let canFlushRanges: Bool

    /// - Parameters:
    ///   - file: the descriptor of the same file; what it may do, the handle may do.
    ///   - flags: how that was opened.
    ///   - canFlushRanges: whether the file system does that, and the file is open for writing.
    init(
        _ file: Int32, _ flags: Int32, path: String, _ identity: FileIdentity, canFlushRanges: Bool
    ) throws(BullaError) {
        let flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        // By its descriptor: the name may be another file's by now. Where the system shows no
        // descriptors there is only the name.
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
        // Not retried after EINTR or anything else: what a failed flush covered is in doubt.
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
