internal import Glibc
internal import Synchronization

/// An open file or one end of a pipe, closed when it goes away.
package final class Descriptor: Sendable {
    package let number: Int32
    /// What messages call it.
    private let name: String

    package init(number: Int32, name: String = "a pipe") {
        self.number = number
        self.name = name
    }

    deinit {
        close(number)
    }

    package static func open(_ path: String) throws -> Descriptor {
        // SAFETY: the call reads the path, which lives across it; so in those below.
        try opened(unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC), "open", path)
    }

    /// A file that is there, to be read and written by several processes.
    static func openShared(_ path: String) throws -> Descriptor {
        try opened(unsafe Glibc.open(path, O_RDWR | O_CLOEXEC), "open", path)
    }

    /// A new file, for its owner only; one that is there already is an error.
    package static func create(_ path: String) throws -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
        return try opened(unsafe Glibc.open(path, flags, 0o600), "create", path)
    }

    /// A file to write a result to; what was in it is lost.
    package static func replace(_ path: String) throws -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        return try opened(unsafe Glibc.open(path, flags, 0o644), "write", path)
    }

    /// Held while a pipe is made and while a child is spawned: one that was spawned in between, on
    /// another thread, would inherit the pipe and hold it open.
    static let inheritance = Mutex(())

    /// Both ends of a new pipe, which no child gets but by being handed it.
    package static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
        try inheritance.withLock { _ in
            var ends: [Int32] = [-1, -1]
            // SAFETY: the call fills the two numbers that the array has.
            guard unsafe Glibc.pipe(&ends) == 0 else {
                throw BenchError(system: "make a pipe")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (Descriptor(number: ends[0]), Descriptor(number: ends[1]))
        }
    }

    package func byteCount() throws -> Int {
        var status = stat()
        // SAFETY: writes the one structure that it is given.
        guard unsafe fstat(number, &status) == 0 else {
            throw BenchError(system: "look at \(name)")
        }
        return Int(status.st_size)
    }

    package func write(_ bytes: [UInt8]) throws {
        var place = 0
        while place < bytes.count {
            // SAFETY: the rest of the array, borrowed during the call.
            let count = unsafe bytes[place...].withUnsafeBytes { rest in
                unsafe Glibc.write(number, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BenchError(system: "write to \(name)") }
            place += count
        }
    }

    /// Up to `limit` bytes; none at the end.
    package func read(upTo limit: Int) throws -> [UInt8] {
        while true {
            var count = 0
            // SAFETY: the call writes at most the array's capacity, and says how much it wrote.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, used in
                unsafe count = Glibc.read(number, buffer.baseAddress, limit)
                used = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw BenchError(system: "read \(name)") }
            return bytes
        }
    }

    /// All that is left, or an error where it is more than `limit`.
    package func readToEnd(limit: Int, of name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upTo: 1 << 20)
            guard !piece.isEmpty else { return bytes }
            bytes += piece
            guard bytes.count <= limit else {
                throw BenchError(.input, "read \(name): it has more than \(Format.bytes(limit))")
            }
        }
    }

    /// Waits until something can be read, or the other end is gone.
    ///
    /// - Returns: false where `seconds` have passed.
    package func waitUntilReadable(seconds: Int) throws -> Bool {
        try Self.firstReadable([self], seconds: seconds) != nil
    }

    /// Waits until one of several can be read, or its other end is gone.
    ///
    /// - Returns: its place; nil where `seconds` have passed.
    package static func firstReadable(_ descriptors: [Descriptor], seconds: Int) throws -> Int? {
        var requests = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        let end = Clock.now + UInt64(seconds) * 1_000_000_000
        while true {
            let left = Int(end) - Int(Clock.now)
            guard left > 0 else { return nil }
            let milliseconds = Int32(min(left / 1_000_000 + 1, 60_000))
            // SAFETY: reads and writes as many structures as the array has.
            let count = unsafe poll(&requests, nfds_t(requests.count), milliseconds)
            if count > 0 { return requests.firstIndex { $0.revents != 0 } }
            guard count == 0 || errno == EINTR else {
                throw BenchError(system: "wait for a worker")
            }
        }
    }

    /// Copies the whole file to a new one and waits until the disk has it.
    ///
    /// Bytes are really copied: extents shared with the original, as some file systems would make
    /// them, would cost the first writer of each.
    package func copy(to path: String) throws {
        let target = try Descriptor.create(path)
        var left = try byteCount()
        var place = 0
        while left > 0 {
            // SAFETY: reads and advances the one offset that it is given.
            let count = unsafe sendfile(target.number, number, &place, left)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BenchError(system: "copy to \(path)") }
            left -= count
        }
        guard fdatasync(target.number) == 0 else { throw BenchError(system: "flush \(path)") }
    }

    private static func opened(
        _ number: Int32, _ attempt: String, _ path: String
    ) throws -> Descriptor {
        guard number >= 0 else { throw BenchError(system: "\(attempt) \(path)") }
        return Descriptor(number: number, name: path)
    }
}
