internal import Glibc

/// An open file, closed when it goes away.
final class Descriptor: Sendable {
    let number: Int32
    /// What it is called in messages.
    let name: String
    private let isOwned: Bool

    /// - Parameter isOwned: whether it is closed at the end; the standard ones are not.
    init(_ number: Int32, name: String, isOwned: Bool = true) {
        self.number = number
        self.name = name
        self.isOwned = isOwned
    }

    deinit {
        if isOwned { _ = Glibc.close(number) }
    }

    static let standardInput = Descriptor(0, name: "standard input", isOwned: false)
    static let standardOutput = Descriptor(1, name: "standard output", isOwned: false)
    static let standardError = Descriptor(2, name: "standard error", isOwned: false)

    /// How many bytes a file has, where it is a regular file.
    ///
    /// - Throws: when it is not there, or is a directory.
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

    /// Closes a descriptor in the programs that this one starts: they have no business with a key.
    static func keepFromChildren(_ number: Int32) { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }

    /// Takes away a file that this command made and could not finish.
    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Makes a file that only its owner may read.
    ///
    /// - Throws: ``CommandExit/cannotCreate`` when anything is there already, even a dangling link.
    static func creating(_ path: String) throws -> Descriptor {
        let number = unsafe Glibc.open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw CommandError(system: errno, "create \(path)", as: .cannotCreate)
        }
        return Descriptor(number, name: path)
    }

    /// Reads what is there into `buffer` from `offset` on.
    ///
    /// - Returns: how many bytes; 0 at the end.
    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int {
        precondition(offset < buffer.count, "there is room to read into")
        while true {
            guard try Signals.awaitInput(on: number) else { continue }
            // SAFETY: `offset` lies inside, so the buffer has an address and room.
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

    /// Writes everything.
    ///
    /// - Throws: ``OutputClosed`` when the reader of a pipe has gone.
    func write(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            // SAFETY: the slice is not empty, so it has an address.
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw OutputClosed()
            } else if errno != EINTR {
                throw CommandError(system: errno, "write \(name)", as: .io)
            }
        }
    }

    /// Makes what was written durable.
    func synchronize() throws {
        guard fsync(number) == 0 else { throw CommandError(system: errno, "flush \(name)") }
    }

    /// Makes the name of a file durable.
    ///
    /// Without it a crash could take away a file that was flushed.
    ///
    /// - Parameter path: the file.
    static func synchronizeFolder(of path: String) throws {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let number = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw CommandError(system: errno, "open \(folder)") }
        let opened = Descriptor(number, name: folder)
        // A file system that cannot flush a folder says EINVAL, and needs no flush of one.
        guard fsync(opened.number) == 0 || errno == EINVAL else {
            throw CommandError(system: errno, "flush \(folder)")
        }
    }

    var isTerminal: Bool { isatty(number) == 1 }

    /// How many bytes the file has, where it is a regular file.
    var byteCount: UInt64? {
        var status = stat()
        // SAFETY: `status` is written by the call and read after it.
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return UInt64(max(status.st_size, 0))
    }

    /// Where the next read begins, where the file has places.
    ///
    /// A child process that reads the same open file moves it as well, which tells its progress.
    var position: UInt64 { UInt64(max(lseek(number, 0, SEEK_CUR), 0)) }

    /// The first bytes after the position, without moving it; `nil` for a pipe or a terminal.
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
