internal import Glibc
internal import Synchronization

/// The living children of this process, so that an interruption can end them all.
final class Children: Sendable {
    static let shared = Children()

    private let processes = Mutex<Set<Int32>>([])

    func insert(_ process: Int32) {
        processes.withLock { _ = $0.insert(process) }
    }

    /// Forgets a child that has been waited for: its number may now mean another process.
    func remove(_ process: Int32) {
        processes.withLock { _ = $0.remove(process) }
    }

    func killAll() {
        processes.withLock { all in
            for process in all { _ = kill(process, SIGKILL) }
        }
    }
}
