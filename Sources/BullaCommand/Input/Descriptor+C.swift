internal import BullaText
internal import Glibc

typealias Descriptor = FileDescriptor<CommandError>

extension CommandError: SystemFailure {
    init(system attempt: String, code: Int32) { self.init(system: code, attempt) }

    init(input message: String) { self.init(.data, message) }

    static func writing(to name: String, code: Int32) -> any Error {
        code == EPIPE ? OutputClosed() : CommandError(system: code, "write \(name)", as: .io)
    }
}

extension Descriptor {
    /// How many bytes a file has; `nil` if it is not a regular file.
    ///
    /// - Throws: if it does not exist, or is a directory.
    static func byteCount(ofFile path: String) throws -> UInt64? {
        var status = stat()
        // SAFETY: `status` is written by the call and read after it.
        guard unsafe stat(path, &status) == 0 else {
            throw CommandError(system: errno, "open \(path)")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandError(system: EISDIR, "open \(path)")
        }
        return status.st_mode & S_IFMT == S_IFREG ? UInt64(max(status.st_size, 0)) : nil
    }

    /// Keeps child processes from inheriting a descriptor from which a key can be read.
    static func keepFromChildren(_ number: Int32) { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }

    /// Deletes a file that this command created and could not finish.
    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Creates a file that only its owner can read.
    ///
    /// - Throws: ``CommandExit/cannotCreate`` if the name is taken, even by a dangling link.
    static func creating(_ path: String) throws -> Descriptor {
        let number = unsafe Glibc.open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw CommandError(system: errno, "create \(path)", as: .cannotCreate)
        }
        return Descriptor(number, name: path)
    }

    /// Creates a file, lends it to `body`, and flushes it; deletes the incomplete file on an error.
    ///
    /// - Parameter path: the file's path; `nil` to lend standard output.
    static func lending(creating path: String?, _ body: (Descriptor) throws -> Void) throws {
        guard let path else { return try body(.standardOutput) }
        let file = try creating(path)
        do {
            try body(file)
            try file.synchronize()
        } catch {
            remove(path)
            throw error
        }
    }

    /// Reads the available bytes into the part of `buffer` that begins at index `offset`.
    ///
    /// - Returns: how many bytes were read; 0 at the end.
    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int {
        precondition(offset < buffer.count, "there is room to read into")
        while true {
            guard try Signals.awaitInput(on: number) else { continue }
            // SAFETY: `offset` lies inside the buffer, so the buffer has an address and room.
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(
                    number, bytes.baseAddress.map { unsafe $0 + offset },
                    bytes.count - offset)
            }
            guard count < 0 else { return count }
            try Signals.check()
            guard errno == EINTR else { throw CommandError(system: errno, "read \(name)") }
        }
    }

    /// Makes the written bytes durable.
    func synchronize() throws {
        guard fsync(number) == 0 else { throw CommandError(system: errno, "flush \(name)") }
    }

    /// Flushes the folder of a file, and so makes the file's name durable.
    ///
    /// Without this, a crash could remove a file whose contents are already durable.
    ///
    /// - Parameter path: the path of the file.
    static func synchronizeFolder(of path: String) throws {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let number = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw CommandError(system: errno, "open \(folder)") }
        let opened = Descriptor(number, name: folder)
        // A file system that cannot flush a folder returns EINVAL; it needs no such flush.
        guard fsync(opened.number) == 0 || errno == EINVAL else {
            throw CommandError(system: errno, "flush \(folder)")
        }
    }

    var isTerminal: Bool { isatty(number) == 1 }

    /// Whether it is a terminal that can rewrite its lines.
    var isScreen: Bool {
        // SAFETY: the string is copied at once.
        let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? "dumb"
        return isTerminal && kind != "dumb"
    }

    /// How many columns the terminal has now.
    var columnCount: Int {
        var size = winsize()
        // SAFETY: `size` is written by the call and read after it.
        let isKnown = unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// How many bytes the file has; `nil` if it is not a regular file.
    var fileByteCount: UInt64? {
        var status = stat()
        // SAFETY: `status` is written by the call and read after it.
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return UInt64(max(status.st_size, 0))
    }

    /// The position of the next read; 0 for a file without positions, such as a pipe.
    ///
    /// A child process that reads the same open file also moves the position. So the position shows
    /// the progress of the child.
    var position: UInt64 { UInt64(max(lseek(number, 0, SEEK_CUR), 0)) }

    /// The first bytes after the position, read without moving it; `nil` for a pipe or a terminal.
    func peek(_ limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let start = lseek(number, 0, SEEK_CUR)
        guard start >= 0 else { return nil }
        // SAFETY: the buffer has room for `limit` bytes.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(number, buffer.baseAddress, buffer.count, start)
        }
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
}

extension Descriptor {
    private static var chunkByteCount: Int { 256 << 10 }

    /// Reads to the end, chunk by chunk.
    func forEachChunk(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while case let count = try read(into: &chunk, from: 0), count > 0 {
            try body(chunk[..<count])
        }
    }

    /// Appends to `bytes` until the file ends, or until `bytes` has at least `limit` bytes; the
    /// last chunk may take it past the limit.
    ///
    /// - Returns: whether the end was reached.
    func read(into bytes: inout [UInt8], upTo limit: Int) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while bytes.count < limit {
            let count = try read(into: &chunk, from: 0)
            guard count > 0 else { return true }
            bytes.append(contentsOf: chunk[..<count])
        }
        return false
    }
}

extension Descriptor {
    /// Opens a file or a pipe for reading.
    ///
    /// - Parameter timeout: how long to wait for a process to write to a pipe or close it. Once the
    ///   first bytes are there, the writer may take as long as it likes.
    /// - Throws: ``CommandExit/noInput`` for a directory or a socket, or a pipe to which no process
    ///   writes in time.
    static func reading(_ path: String, within timeout: Duration) throws -> Descriptor {
        // Without O_NONBLOCK, opening a pipe that has no writer would block without limit.
        let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else {
            // The system's message for a socket (ENXIO) does not mention a socket.
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

    /// Opens or creates a plaintext file that only its owner can read, for reading and appending.
    ///
    /// - Throws: ``CommandExit/noPermission`` if other users have any right to it;
    ///   ``CommandExit/cannotCreate`` if it cannot be opened, or is not a regular file.
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
