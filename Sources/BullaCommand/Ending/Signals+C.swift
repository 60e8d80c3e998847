internal import Glibc
internal import Synchronization

/// What the command does about signals.
///
/// A broken pipe is an error of `write`, so that the store is closed before the command goes. While
/// a load runs, the first interrupt only asks it to stop; the second one kills as it always does.
enum Signals {
    static let brokenPipe = SIGPIPE
    static let interrupt = SIGINT

    /// The signal that asked to stop, or 0.
    private static let request = Atomic<Int32>(0)

    /// Called once, first.
    static func prepare() {
        // Touched here, so that a handler never runs the initializer.
        request.store(0, ordering: .relaxed)
        _ = signal(SIGPIPE, SIG_IGN)
        // A file over the limit of the user is an error of `write` as well.
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// From now on an interrupt is a request, until the command looks at it with ``check()``.
    static func catchInterrupts() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                Signals.request.store(number, ordering: .relaxed)
            }
            // No SA_RESTART: a read that waits for a slow pipe must return and be asked.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            // SAFETY: `action` is read during the call; the handler only stores to an atomic.
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Throws when a signal has asked to stop.
    static func check() throws {
        let number = request.load(ordering: .relaxed)
        guard number == 0 else { throw Interrupted(signal: number) }
    }

    /// Lets a request that was answered be forgotten.
    static func forget() { request.store(0, ordering: .relaxed) }

    /// From now on a change of the terminal's size ends a wait for keys.
    static func noticeResizes() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        // No SA_RESTART, as above.
        // SAFETY: `action` is read during the call; the handler does nothing.
        _ = unsafe sigaction(SIGWINCH, &action, nil)
    }

    /// Stops the process, until somebody has it go on.
    static func stop() { _ = kill(getpid(), SIGTSTP) }

    /// Ends by a signal, as whoever waits for this process expects.
    static func die(of number: Int32) -> Never {
        // SAFETY: the default action, set on the way out.
        _ = signal(number, SIG_DFL)
        _ = raise(number)
        exit(128 + number)
    }

    static func exit(_ status: Int32) -> Never { Glibc.exit(status) }
}
