internal import Glibc
package import Synchronization

/// The errors that a program throws if the system refuses a call, or a file is not as expected.
package protocol SystemFailure: Error {
    /// The system refused `attempt`, for the reason in `code`.
    init(system attempt: String, code: Int32)

    /// A file has unexpected contents.
    init(input message: String)

    /// The system refused a write to the file with this name.
    static func writing(to name: String, code: Int32) -> any Error
}

/// The lock that a thread holds while it makes a pipe, or spawns a child.
///
/// Without it, a child that another thread spawns could inherit a pipe before the close-on-exec
/// flag of the pipe is set, and then keep the pipe open.
package let descriptorInheritance = Mutex(())

/// An open file or one end of a pipe; deinitialization closes it.
package final class FileDescriptor<Failure: SystemFailure>: Sendable {
    package let number: Int32
    /// The name to use in messages.
    package let name: String
    private let isOwned: Bool

    /// - Parameter isOwned: whether deinitialization closes the descriptor; `false` for the
    ///   standard ones.
    package init(_ number: Int32, name: String = "a pipe", isOwned: Bool = true) {
        self.number = number
        self.name = name
        self.isOwned = isOwned
    }

    deinit {
        if isOwned { _ = close(number) }
    }

    package static var standardInput: FileDescriptor {
        FileDescriptor(STDIN_FILENO, name: "standard input", isOwned: false)
    }

    package static var standardOutput: FileDescriptor {
        FileDescriptor(STDOUT_FILENO, name: "standard output", isOwned: false)
    }

    package static var standardError: FileDescriptor {
        FileDescriptor(STDERR_FILENO, name: "standard error", isOwned: false)
    }

    package static func open(_ path: String) throws -> FileDescriptor {
        // SAFETY: the path lives until the call returns, as in the methods below.
        try opened(unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC), "open", path)
    }

    /// Opens an existing file to read and write, for example one that several processes share.
    package static func openShared(_ path: String) throws -> FileDescriptor {
        try opened(unsafe Glibc.open(path, O_RDWR | O_CLOEXEC), "open", path)
    }

    /// Creates a file that only its owner can access; throws if the path exists, even as a dangling
    /// link.
    package static func create(_ path: String) throws -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try opened(unsafe Glibc.open(path, flags, 0o600), "create", path)
    }

    /// Opens a file to write a result; creates the file, or discards its old contents.
    package static func replace(_ path: String) throws -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        return try opened(unsafe Glibc.open(path, flags, 0o644), "write", path)
    }

    private static func opened(
        _ number: Int32, _ attempt: String, _ path: String
    ) throws -> FileDescriptor {
        guard number >= 0 else { throw Failure(system: "\(attempt) \(path)", code: errno) }
        return FileDescriptor(number, name: path)
    }

    /// Both ends of a new pipe; a child inherits only an end that is passed to it explicitly.
    package static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
        try descriptorInheritance.withLock { _ in
            var ends: [Int32] = [-1, -1]
            // SAFETY: the call fills the two numbers that the array has.
            guard unsafe Glibc.pipe(&ends) == 0 else {
                throw Failure(system: "make a pipe", code: errno)
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
        }
    }

    package func byteCount() throws -> Int {
        var status = stat()
        // SAFETY: writes the one structure that it is given.
        guard unsafe fstat(number, &status) == 0 else {
            throw Failure(system: "look at \(name)", code: errno)
        }
        return Int(status.st_size)
    }

    /// Writes all bytes.
    package func write(_ bytes: some Sequence<UInt8>) throws {
        var rest = [UInt8](bytes)[...]
        while !rest.isEmpty {
            // SAFETY: the slice is not empty, so it has an address, and it is borrowed during the
            // call.
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure.writing(to: name, code: errno)
            }
        }
    }

    /// Reads up to `limit` bytes; returns no bytes at the end.
    package func read(upTo limit: Int) throws -> [UInt8] {
        while true {
            var count = 0
            // SAFETY: the call writes at most the array's capacity, and says how much it wrote.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, used in
                unsafe count = Glibc.read(number, buffer.baseAddress, limit)
                used = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(system: "read \(name)", code: errno) }
            return bytes
        }
    }

    /// Reads everything that is left; throws if it is more than `limit`.
    package func readToEnd(limit: Int, of name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upTo: 1 << 20)
            guard !piece.isEmpty else { return bytes }
            bytes += piece
            guard bytes.count <= limit else {
                throw Failure(input: "read \(name): it has more than \(Format.bytes(limit))")
            }
        }
    }

    /// Waits until one of several descriptors can be read, or its other end is closed.
    ///
    /// - Returns: the descriptor's index in `descriptors`; nil if none is ready within `seconds`.
    package static func firstReadable(
        _ descriptors: [FileDescriptor], seconds: Int
    ) throws -> Int? {
        var requests = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let left = end - ContinuousClock.now
            guard left > .zero else { return nil }
            let milliseconds = Int32(min(left / .milliseconds(1) + 1, 60_000))
            // SAFETY: reads and writes as many structures as the array has.
            let count = unsafe poll(&requests, nfds_t(requests.count), milliseconds)
            if count > 0 { return requests.firstIndex { $0.revents != 0 } }
            guard count == 0 || errno == EINTR else {
                throw Failure(system: "wait for an answer", code: errno)
            }
        }
    }

    /// Copies the whole file to a new one, and waits until the copy is on disk.
    ///
    /// It copies the bytes: if the file system let both files share extents, the first write to
    /// each extent would be slow.
    package func copy(to path: String) throws {
        let target = try Self.create(path)
        var left = try byteCount()
        var place = 0
        while left > 0 {
            // SAFETY: reads and advances the one offset that it is given.
            let count = unsafe sendfile(target.number, number, &place, left)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(system: "copy to \(path)", code: errno) }
            left -= count
        }
        guard fdatasync(target.number) == 0 else {
            throw Failure(system: "flush \(path)", code: errno)
        }
    }
}

/// Reads a pipe line by line.
package final class LineReader<Failure: SystemFailure> {
    package let descriptor: FileDescriptor<Failure>
    private var bytes: [UInt8] = []

    package init(_ descriptor: FileDescriptor<Failure>) { self.descriptor = descriptor }

    /// The next line without its line break; nil at the end.
    ///
    /// A last line that has no line break is never returned.
    ///
    /// - Parameters:
    ///   - timeLimit: how many seconds to wait for each piece of the line; nil to wait for ever.
    ///   - late: makes the error to throw when the time has run out.
    package func next(
        timeLimit: Int? = nil, late: (String) -> any Error = { Failure(input: $0) }
    ) throws -> [UInt8]? {
        var searched = 0
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return Array(bytes[..<end])
            }
            searched = bytes.count
            if let timeLimit,
                try FileDescriptor.firstReadable([descriptor], seconds: timeLimit) == nil
            {
                throw late("no answer within \(timeLimit) seconds")
            }
            let piece = try descriptor.read(upTo: 1 << 16)
            guard !piece.isEmpty else { return nil }
            bytes += piece
        }
    }
}
