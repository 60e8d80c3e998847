internal import CBullaShared
internal import Glibc

/// A file or a named pipe that a key is read from, open for reading.
struct KeyFile: ~Copyable {
    let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Opens the file without waiting for anything.
    ///
    /// It follows a link: the file that the link leads to must belong to this user or to the
    /// superuser, but the link can belong to anybody. An unnamed pipe can belong to another user,
    /// because it comes from the process that started this one.
    ///
    /// - Throws: `invalidArgument` for a directory, a socket or a device, for a file whose mode
    ///   gives rights to anyone but its owner, and for a path with a zero byte; `keyFileOwner`;
    ///   `io`.
    static func open(_ path: String) throws(BullaError) -> KeyFile {
        guard !path.utf8.contains(0) else { throw .badName("file", "its path has a zero byte") }
        // O_NONBLOCK opens a pipe at once even if it has no writer; the wait for a writer comes
        // later, and has a limit.
        let descriptor = unsafe bulla_open(
            path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            // A socket cannot be opened at all.
            guard errno != ENXIO else { throw refused(path, "it is a socket or a device") }
            throw BullaError.system("open key file \(path)")
        }
        let file = KeyFile(descriptor: descriptor)
        let about = try file.look(path)
        try checkKind(about.st_mode, path)
        if !bulla_is_unnamed_pipe(file.descriptor) { try checkOwner(about.st_uid, path) }
        try checkMode(about.st_mode & 0o777, path, .invalidArgument)
        return file
    }

    /// What the system says about the open file.
    func look(_ path: String) throws(BullaError) -> stat {
        var about = stat()
        // SAFETY: `about` is written by the call and read after it.
        guard unsafe fstat(descriptor, &about) == 0 else {
            throw BullaError.system("stat key file \(path)")
        }
        return about
    }

    static func checkOwner(_ owner: uid_t, _ path: String) throws(BullaError) {
        let user = geteuid()
        guard owner == user || owner == 0 else {
            throw BullaError(
                .keyFileOwner,
                "read key file \(path): it belongs to user \(owner), expected "
                    + (user == 0 ? "the superuser" : "user \(user) or the superuser"))
        }
    }

    static func checkKind(_ mode: mode_t, _ path: String) throws(BullaError) {
        switch mode & S_IFMT {
        case S_IFREG, S_IFIFO: return
        case S_IFDIR: throw refused(path, "it is a directory")
        case S_IFCHR, S_IFBLK: throw refused(path, "it is a device")
        default: throw refused(path, "it is not a file")
        }
    }

    static func checkMode(
        _ mode: mode_t, _ path: String, _ code: BullaError.Code
    ) throws(BullaError) {
        guard mode & 0o077 == 0 else {
            throw BullaError(
                code,
                "read key file \(path): its mode is 0\(String(mode, radix: 8)), expected 0600 or "
                    + "stricter, as others could read the key: chmod 600 \(path)")
        }
    }

    static func refused(_ path: String, _ what: String) -> BullaError {
        BullaError(
            .invalidArgument, "read key file \(path): \(what), expected a file or a pipe")
    }

    /// Waits until a read from the descriptor would not block.
    ///
    /// It polls, because a read from a pipe that no writer has opened yet would return at once, as
    /// if it were at the end of a file.
    ///
    /// - Throws: `busy` at the deadline; `io`.
    static func wait(
        for descriptor: Int32, until deadline: ContinuousClock.Instant, name: String,
        timeout: Duration
    ) throws(BullaError) {
        while true {
            let left = max(deadline - ContinuousClock.now, .zero)
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // SAFETY: `request` is one structure, read and written during the call.
            let count = unsafe poll(&request, 1, milliseconds(left))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else {
                throw BullaError.system("wait for a key from \(name)")
            }
            guard ContinuousClock.now < deadline else {
                throw BullaError(
                    .busy,
                    "read a key from \(name): its end did not come within \(timeout)")
            }
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1 << 20 else { return Int32.max }
        return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
