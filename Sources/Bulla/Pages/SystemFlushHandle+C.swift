internal import CBullaShared
internal import Glibc

/// A file of the operating system, opened once more to be flushed.
///
/// It holds no lock: those belong to the file that it was made from.
final class SystemFlushHandle: FlushHandle {
    private let path: String
    private let descriptor: Int32

    /// - Parameters:
    ///   - file: the descriptor of the same file; what it may do, the handle may do.
    ///   - flags: how that was opened.
    init(_ file: Int32, _ flags: Int32, path: String, _ identity: FileIdentity) throws(BullaError) {
        let flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        // By its descriptor: the name may be another file's by now. Where the system shows no
        // descriptors there is only the name.
        var opened = unsafe bulla_open("/proc/thread-self/fd/\(file)", flags, 0)
        if opened < 0, errno == ENOENT { opened = unsafe bulla_open(path, flags, 0) }
        guard opened >= 0 else { throw BullaError.system("open \(path) to flush it") }
        var about = bulla_file_facts()
        guard unsafe bulla_file_look(opened, "", &about), FileIdentity(about) == identity else {
            _ = Glibc.close(opened)
            throw BullaError(.replaced, "open \(path) to flush it: another file has its name now")
        }
        bulla_forget_in_child(opened)
        self.path = path
        descriptor = opened
    }

    deinit {
        bulla_keep_in_child(descriptor)
        _ = Glibc.close(descriptor)
    }

    func close() { bulla_void_descriptor(descriptor) }

    func flush() throws(BullaError) {
        // Not retried after EINTR or anything else: what a failed flush covered is in doubt.
        guard fdatasync(descriptor) == 0 else { throw BullaError.system("flush \(path)") }
    }
}
