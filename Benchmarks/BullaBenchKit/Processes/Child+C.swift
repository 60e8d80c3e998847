internal import Glibc
internal import Synchronization

/// A process that this one spawned; killed and reaped when it goes away.
///
/// Spawned, never forked: a fork would take over the parent's threads' locks and its memory.
package final class Child: @unchecked Sendable {
    package let process: Int32
    private var status: Int32?

    /// Starts `file`, searched in the PATH, with its input and output on the given pipes.
    ///
    /// The child's signal mask is this process's own: what is blocked here to be awaited on a
    /// thread stays blocked there, so that Ctrl-C reaches the parent alone, which ends its children
    /// itself.
    package init(
        _ file: String, _ arguments: [String], input: Descriptor?, output: Descriptor
    ) throws {
        // SAFETY: initialised here, destroyed at the end, used by one call in between.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        } else {
            unsafe posix_spawn_file_actions_addopen(
                &actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        // SAFETY: the copies of the strings live until they are freed, after the call.
        var words = unsafe ([file] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var number: pid_t = 0
        let code = Descriptor.inheritance.withLock { _ in
            unsafe posix_spawnp(&number, file, &actions, nil, &words, environ)
        }
        guard code == 0 else { throw BenchError(system: "start \(file)", code: code) }
        process = number
        Children.shared.insert(number)
    }

    deinit {
        kill()
        _ = wait()
    }

    package func kill() {
        if status == nil { _ = Glibc.kill(process, SIGKILL) }
    }

    /// Waits for its end, and says how it ended.
    package func wait() -> ChildEnd {
        var status = self.status ?? 0
        // SAFETY: writes the one number that it is given.
        while self.status == nil, unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        if self.status == nil { Children.shared.remove(process) }
        self.status = status
        return ChildEnd(status: status)
    }

    /// Starts `file` without an input; its output can be read until it ends.
    package static func start(
        _ file: String, _ arguments: [String]
    ) throws -> (child: Child, output: Descriptor) {
        // The writing end is the child's alone once this returns, so that its end ends the output.
        let pipe = try Descriptor.pipe()
        return (try Child(file, arguments, input: nil, output: pipe.writing), pipe.reading)
    }

    /// What `tool` writes to its output.
    package static func output(
        of tool: String, _ arguments: [String], limit: Int, reading path: String
    ) throws -> [UInt8] {
        let (child, output) = try start(tool, arguments)
        let bytes = try output.readToEnd(limit: limit, of: path)
        let end = child.wait()
        guard end == .exited(0) else {
            throw BenchError(.input, "read \(path): \(tool) \(end)")
        }
        return bytes
    }
}
