internal import BullaText
internal import Foundation
internal import Glibc
internal import Synchronization

/// SIGINT, SIGTERM and SIGHUP, turned into an orderly end.
///
///     signal    what happens
///     first     the children are killed; a thread that waits for a child then throws an error
///     second    the temporary folder is removed, and the process ends at once
package final class Interruption: Sendable {
    package static let shared = Interruption()

    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let attemptLimit = 1_000
    private let count = Atomic<Int>(0)
    private let folder = Mutex<String?>(nil)

    package var hasCome: Bool { count.load(ordering: .relaxed) > 0 }

    /// Throws if a signal has arrived; call it between the steps of long work.
    package func check() throws { if hasCome { throw BenchError(.interrupted, "interrupted") } }

    /// Sets the folder to remove if the process must end at once.
    package func watch(folder path: String?) { folder.withLock { $0 = path } }

    /// Starts to listen for the signals.
    ///
    /// Call it before making threads and children, which inherit the set of blocked signals.
    package func listen() {
        // A write to a pipe without a reader must fail rather than end the process.
        _ = signal(SIGPIPE, SIG_IGN)
        Self.changeMask(SIG_BLOCK)
        Thread.detachNewThread { [self] in while true { handle(Self.awaitSignal()) } }
    }

    private func handle(_ signal: Int32) {
        let earlier = count.add(1, ordering: .relaxed).oldValue
        Children.shared.killAll()
        guard earlier > 0 else { return }
        folder.withLock { path in if let path { Self.removeInHaste(path) } }
        _exit(BenchExit.interrupted.rawValue)
    }

    /// Removes a folder to which other processes may still be adding files.
    private static func removeInHaste(_ path: String) {
        for _ in 0..<attemptLimit {
            Folder.remove(path)
            // SAFETY: the call reads the path, which lives across it.
            guard unsafe access(path, F_OK) == 0 else { return }
        }
    }

    private static func changeMask(_ how: Int32) {
        var set = signalSet()
        // SAFETY: reads the one set that it is given.
        unsafe pthread_sigmask(how, &set, nil)
    }

    private static func awaitSignal() -> Int32 {
        var set = signalSet()
        var number: Int32 = 0
        // SAFETY: reads the set and writes the number that it is given.
        while unsafe sigwait(&set, &number) != 0 {}
        return number
    }

    private static func signalSet() -> sigset_t {
        var set = sigset_t()
        // SAFETY: each call changes the one set that it is given.
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }
}

/// A process that this one spawned; deinit kills and reaps it.
///
/// It is made with `posix_spawn`: a fork would inherit the parent's memory and its threads' locks.
package final class Child: @unchecked Sendable {
    package let process: Int32
    private var status: Int32?

    /// Starts `file`, found through PATH, with these pipes; without `input`, its input is empty.
    ///
    /// The child inherits this process's signal mask, which blocks the signals that
    /// ``Interruption`` awaits. So Ctrl-C reaches only the parent, which ends its children itself.
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
        let code = descriptorInheritance.withLock { _ in
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

    package func kill() { if status == nil { _ = Glibc.kill(process, SIGKILL) } }

    /// Waits for the child to end, and returns how it ended.
    package func wait() -> ChildEnd {
        var status = self.status ?? 0
        // SAFETY: writes the one number that it is given.
        while self.status == nil, unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        if self.status == nil { Children.shared.remove(process) }
        self.status = status
        return ChildEnd(status: status)
    }

    /// Starts `file` without input; this process can read the child's output from `output`.
    package static func start(
        _ file: String, _ arguments: [String]
    ) throws -> (child: Child, output: Descriptor) {
        let pipe = try Descriptor.pipe()
        // Once this returns, only the child has the writing end, so the output ends with the child.
        return (try Child(file, arguments, input: nil, output: pipe.writing), pipe.reading)
    }

    package static func output(
        of tool: String, _ arguments: [String], limit: Int, reading path: String
    ) throws -> [UInt8] {
        let (child, output) = try start(tool, arguments)
        let bytes = try output.readToEnd(limit: limit, of: path)
        let end = child.wait()
        guard end == .exited(0) else { throw BenchError(.input, "read \(path): \(tool) \(end)") }
        return bytes
    }
}

package enum ChildEnd: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case killed(Int32)

    /// - Parameter status: the status that `waitpid` sets.
    package init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
    }

    package var description: String {
        switch self {
        case .exited(let code):
            "ended with status \(code)" + (Self.meaning(of: code).map { " (\($0))" } ?? "")
        case .killed(let signal): "was killed by signal \(signal) (\(SystemMessage.signal(signal)))"
        }
    }

    /// What a status means; nil for one below 64, whose meaning depends on the child's program.
    private static func meaning(of code: Int32) -> BenchExit? {
        code < BenchExit.usage.rawValue ? nil : BenchExit(rawValue: code)
    }
}

/// The living children of this process, for an interruption to kill.
final class Children: Sendable {
    static let shared = Children()

    private let processes = Mutex<Set<Int32>>([])

    func insert(_ process: Int32) { processes.withLock { _ = $0.insert(process) } }

    /// Forgets a child that has been waited for: its number can now belong to another process.
    func remove(_ process: Int32) { processes.withLock { _ = $0.remove(process) } }

    func killAll() {
        processes.withLock { all in for process in all { _ = kill(process, SIGKILL) } }
    }
}
