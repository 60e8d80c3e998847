internal import BullaText
internal import Glibc

/// A child process that reads a file on standard input, and whose standard output this process
/// reads.
final class ChildProcess {
    let tool: String
    /// The program's standard output.
    let output: Descriptor
    private let complaints: Descriptor
    private var process: pid_t?

    /// How many bytes of the program's standard error are read for the message of the error that
    /// ``wait()`` throws.
    static let complaintByteLimit = 512

    /// - Throws: ``CommandExit/unavailable`` if there is no such program.
    init(tool: String, package: String, arguments: [String], input: Descriptor) throws {
        self.tool = tool
        let output = try Descriptor.pipe()
        let complaints = try Descriptor.pipe()
        // A program that writes many error messages must lose some of them rather than wait for us
        // to read them.
        _ = fcntl(complaints.writing.number, F_SETFL, O_NONBLOCK)
        self.output = output.reading
        self.complaints = complaints.reading
        // The descriptors must stay open until the child has its own copies.
        process = try withExtendedLifetime((input, output.writing, complaints.writing)) {
            try Self.spawn(
                tool, package: package, arguments: arguments,
                files: [input.number, output.writing.number, complaints.writing.number])
        }
    }

    deinit {
        // If nobody called `wait`, the reader stopped before the end of the child's output, and
        // nobody needs the rest.
        guard let process else { return }
        _ = kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
    }

    /// Waits until the program ends.
    ///
    /// - Throws: if the program failed, with the first line of its standard error.
    func wait() throws {
        guard let child = process else { return }
        process = nil
        var status: Int32 = 0
        // SAFETY: `status` is written by the call and read after it.
        while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
        try Signals.check()
        guard status != 0 else { return }
        let signal = status & 0x7F
        let end = signal == 0 ? "status \(status >> 8 & 0xFF)" : "signal \(signal)"
        throw CommandError(.data, "\(tool) ended with \(end)" + complaint())
    }

    private func complaint() -> String {
        var bytes = [UInt8](repeating: 0, count: Self.complaintByteLimit)
        guard let count = try? complaints.read(into: &bytes, from: 0) else { return "" }
        let lines = bytes.prefix(count).split(separator: UInt8(ascii: "\n"))
        return lines.first.map { ": " + String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// - Parameter files: the descriptors that become the program's descriptors 0, 1 and 2.
    private static func spawn(
        _ tool: String, package: String, arguments: [String], files: [Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // SAFETY: each object is initialized before it is used, and destroyed once.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (place, file) in files.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, file, Int32(place))
        }
        restoreBrokenPipe(in: &attributes)
        return try unsafe start(tool, package, arguments, &actions, &attributes)
    }

    /// Lets the program die of SIGPIPE when we stop reading; otherwise it would ignore SIGPIPE, as
    /// this process does.
    private static func restoreBrokenPipe(in attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        // SAFETY: the set is initialized before it is used, and copied by the call.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    }

    /// The environment of the program: only variables that it may need, because others may hold
    /// keys.
    private static func environment() -> [String] {
        ["PATH", "TMPDIR", "LANG", "LC_ALL", "LC_MESSAGES"].compactMap { name in
            // SAFETY: no thread changes the environment of this process.
            unsafe getenv(name).map { value in unsafe name + "=" + String(cString: value) }
        }
    }

    private static func start(
        _ tool: String, _ package: String, _ arguments: [String],
        _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
    ) throws -> pid_t {
        // SAFETY: the copies live until `posix_spawnp` returns; by then, the child has its own.
        var words = unsafe ([tool] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment().map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawnp(&child, tool, &actions, &attributes, &words, &variables)
        guard failure != ENOENT else {
            throw CommandError(
                .unavailable, "start \(tool): no such program; install the package \(package)")
        }
        guard failure == 0 else {
            throw CommandError(system: failure, "start \(tool)", as: .system)
        }
        return child
    }
}
