internal import Glibc
internal import Synchronization

/// SIGINT, SIGTERM and SIGHUP, turned into an orderly end.
///
///     signal    what happens
///     first     all children are killed; who waits for one sees it gone, and unwinds
///     second    the temporary folder is removed, and the process ends at once
package final class Interruption: Sendable {
    package static let shared = Interruption()

    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let attemptLimit = 1_000
    private let count = Atomic<Int>(0)
    private let folder = Mutex<String?>(nil)

    package var hasCome: Bool { count.load(ordering: .relaxed) > 0 }

    /// Throws where a signal has come: called between the steps of long work.
    package func check() throws {
        if hasCome { throw BenchError(.interrupted, "interrupted") }
    }

    /// Names the folder that a hasty end must remove.
    package func watch(folder path: String?) {
        folder.withLock { $0 = path }
    }

    /// Starts to listen.
    ///
    /// Called first of all, on the only thread that there is: threads and children made later
    /// inherit that these signals are blocked.
    package func listen() throws {
        // A reader that is gone is an error of the write, not the end of the process.
        _ = signal(SIGPIPE, SIG_IGN)
        Self.changeMask(SIG_BLOCK)
        try Thread.start { [self] in
            while true { handle(Self.awaitSignal()) }
        }
    }

    private func handle(_ signal: Int32) {
        let earlier = count.add(1, ordering: .relaxed).oldValue
        Children.shared.killAll()
        guard earlier > 0 else { return }
        folder.withLock { path in
            if let path { Self.removeInHaste(path) }
        }
        _exit(BenchExit.interrupted.rawValue)
    }

    /// Removes a folder to which somebody may still be adding files.
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
