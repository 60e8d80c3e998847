internal import Glibc

extension Descriptor {
    /// Opens a file or a pipe to read it.
    ///
    /// - Parameter timeout: how long a pipe is waited for until it is written to, or closed. After
    ///   that its writer takes the time that it takes.
    /// - Throws: ``CommandExit/noInput`` for a directory or a socket, or a pipe that nothing writes
    ///   to.
    static func reading(_ path: String, within timeout: Duration) throws -> Descriptor {
        // O_NONBLOCK: to open a pipe that nobody writes to would wait without a limit.
        let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else {
            // What it says of a socket, nobody understands.
            guard errno != ENXIO else {
                throw CommandError(.noInput, "open \(path): it is a socket, or a missing device")
            }
            throw CommandError(system: errno, "open \(path)")
        }
        let opened = Descriptor(number, name: path)
        switch opened.kind {
        case S_IFDIR: throw CommandError(system: EISDIR, "open \(path)")
        case S_IFIFO: try opened.awaitWriter(within: timeout)
        default: break
        }
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
        return opened
    }

    /// Opens a file of plaintext that is the owner's alone, or makes it, to read it and to write at
    /// its end.
    ///
    /// - Throws: ``CommandExit/noPermission`` where others may read or write it;
    ///   ``CommandExit/cannotCreate`` where it is no file.
    static func appending(_ path: String) throws -> Descriptor {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let number = unsafe Glibc.open(path, flags, 0o600)
        guard number >= 0 else {
            throw CommandError(system: errno, "open \(path)", as: .cannotCreate)
        }
        let opened = Descriptor(number, name: path)
        guard opened.mode & S_IFMT == S_IFREG else {
            throw CommandError(.cannotCreate, "open \(path): it is no file")
        }
        guard opened.mode & 0o077 == 0 else {
            throw CommandError(
                .noPermission,
                "open \(path): others may read or write it, and it is to hold keys and values; "
                    + "chmod 600 \(path)")
        }
        return opened
    }

    private var kind: mode_t { mode & S_IFMT }

    private var mode: mode_t {
        var status = stat()
        // SAFETY: `status` is written by the call and read after it.
        return unsafe fstat(number, &status) == 0 ? status.st_mode : 0
    }

    private func awaitWriter(within timeout: Duration) throws {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            let left = max(deadline - ContinuousClock.now, .zero)
            var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            // SAFETY: `request` is one structure, read and written during the call.
            let count = unsafe poll(&request, 1, Int32(min(left / .milliseconds(1), 1e9)) + 1)
            guard count <= 0 else { return }
            guard count == 0 || errno == EINTR else {
                throw CommandError(system: errno, "wait for \(name)")
            }
            try Signals.check()
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .noInput,
                    "open \(name): it is a pipe, and nothing was written to it within \(timeout)")
            }
        }
    }
}
