internal import BullaTestSupport
internal import Foundation
package import Glibc
internal import Synchronization

/// A spawned process with pipes as its input and output.
package final class ChildProcess {
    /// The descriptor from which the child reads its key.
    package static let keyDescriptor: Int32 = 3
    /// The descriptor of a page pool that the child inherits.
    package static let poolDescriptor: Int32 = 4
    package static let kill = SIGKILL
    package static let stop = SIGSTOP
    package static let goOn = SIGCONT

    package let number: pid_t
    private var input: Int32
    private let output: Int32
    private var end: WorkerEnd?

    /// Held while a child is spawned, so that no other child inherits the pipes of this one.
    private static let spawning = Mutex(())

    /// - Parameter pool: a descriptor that the child gets as ``poolDescriptor``.
    package init(
        _ path: String, _ arguments: [String], key: [UInt8]?, pool: Int32? = nil, errors: String
    ) throws {
        (number, input, output) = try Self.spawning.withLock { _ in
            try Self.start([path] + arguments, key, pool, errors)
        }
    }

    private static func start(
        _ words: [String], _ key: [UInt8]?, _ pool: Int32?, _ errors: String
    ) throws -> (number: pid_t, input: Int32, output: Int32) {
        let (inputRead, inputWrite) = try pipe()
        let (outputRead, outputWrite) = try pipe()
        let errors = unsafe raised(Glibc.open(errors, O_WRONLY | O_CREAT | O_APPEND, 0o600))
        var files = [inputRead, outputWrite, errors]
        if let key { files.append(try pipe(holding: key)) }
        defer { for file in files { close(file) } }
        let inherited = pool.map { [(poolDescriptor, $0)] } ?? []
        return (try spawn(words, files, inherited), inputWrite, outputRead)
    }

    deinit {
        closeInput()
        close(output)
        guard end == nil else { return }
        signal(Self.kill)
        var status: Int32 = 0
        // SAFETY: the call writes `status`.
        _ = unsafe waitpid(number, &status, 0)
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: there is room for both ends.
        guard unsafe Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        return (raised(ends[0]), raised(ends[1]))
    }

    private static func pipe(holding bytes: [UInt8]) throws -> Int32 {
        let (read, write) = try pipe()
        // SAFETY: the array outlives the call; a pipe has room for a key.
        _ = unsafe Glibc.write(write, bytes, bytes.count)
        close(write)
        return read
    }

    /// Moves a descriptor above the numbers that the child uses, so that none is overwritten.
    private static func raised(_ file: Int32) -> Int32 {
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 16)
        close(file)
        return copy
    }

    private static func spawn(
        _ words: [String], _ files: [Int32], _ inherited: [(place: Int32, file: Int32)]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        // SAFETY: initialized before use, destroyed once; the words live until the call returns.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (place, file) in files.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, file, Int32(place))
        }
        for (place, file) in inherited {
            unsafe posix_spawn_file_actions_adddup2(&actions, file, place)
        }
        var list = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe list.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawn(&child, words[0], &actions, nil, &list, environ)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return child
    }

    // MARK: Talking

    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        // SAFETY: the array lives through the call.
        _ = unsafe Glibc.write(input, bytes, bytes.count)
    }

    package func closeInput() {
        guard input >= 0 else { return }
        close(input)
        input = -1
    }

    /// Appends the child's next output; `false` at its end.
    package func read(into bytes: inout [UInt8], patience: Duration) throws -> Bool {
        var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        // SAFETY: one descriptor, as the count says.
        guard unsafe Glibc.poll(&poll, 1, Int32(patience.components.seconds * 1000)) > 0 else {
            throw WorkerHangs()
        }
        var part = [UInt8](repeating: 0, count: 1 << 16)
        // SAFETY: there is room for as many bytes as requested.
        let count = unsafe Glibc.read(output, &part, part.count)
        bytes += part.prefix(max(count, 0))
        return count > 0
    }

    package func signal(_ signal: Int32) { _ = Glibc.kill(number, signal) }

    package func wait(patience: Duration) throws -> WorkerEnd {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if let end = ended() { return end }
            usleep(1000)
        }
        throw WorkerHangs()
    }

    /// How the child ended, or `nil` if it still runs.
    package func ended() -> WorkerEnd? {
        if end == nil { end = look(WNOHANG) }
        return end
    }

    private func look(_ options: Int32) -> WorkerEnd? {
        var status: Int32 = 0
        // SAFETY: the call writes `status`.
        guard unsafe waitpid(number, &status, options) == number else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }

    /// Waits until a stop signal has stopped the child.
    package func waitUntilStopped() {
        var status: Int32 = 0
        // SAFETY: the call writes `status`.
        while unsafe waitpid(number, &status, WUNTRACED) < 0 && errno == EINTR {}
    }
}
