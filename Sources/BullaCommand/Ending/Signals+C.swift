internal import Glibc
internal import Synchronization

/// How the command handles signals.
///
/// A broken pipe becomes an error of `write`, so that the command closes the store before it ends.
/// In commands that call ``catchInterrupts(isEach:)``, the first interrupt only asks the command to
/// stop; a second one by the same signal kills it, as usual, unless `isEach` is true. An interrupt
/// is SIGINT, SIGTERM or SIGHUP.
enum Signals {
    static let brokenPipe = SIGPIPE
    static let interrupt = SIGINT

    /// The signal that has asked the command to stop, or 0.
    private static let request = Atomic<Int32>(0)

    /// Prepares the process; must be called before everything else.
    static func prepare() {
        // The first use of `request` initializes it, which must not happen in a signal handler.
        request.store(0, ordering: .relaxed)
        _ = signal(SIGPIPE, SIG_IGN)
        // A write beyond the user's file size limit also becomes an error of `write`.
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    private static let asking = [SIGINT, SIGTERM, SIGHUP]

    /// Makes the next interrupt by each of the signals a request to stop, which ``check()``
    /// reports.
    ///
    /// - Parameter isEach: whether every later interrupt, too, is only a request, and does not kill
    ///   the command. This is used while the terminal's settings are not the user's own.
    static func catchInterrupts(isEach: Bool = false) {
        for number in asking {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                Signals.request.store(number, ordering: .relaxed)
            }
            // No SA_RESTART: a read that waits for a slow pipe must return, so that the command
            // sees the request.
            action.sa_flags = isEach ? 0 : Int32(bitPattern: UInt32(SA_RESETHAND))
            // SAFETY: `action` is read during the call; the handler only stores to an atomic.
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Throws if a signal has asked the command to stop.
    static func check() throws {
        let number = request.load(ordering: .relaxed)
        guard number == 0 else { throw Interrupted(signal: number) }
    }

    /// Forgets an interrupt from the keyboard (SIGINT).
    ///
    /// Call this once the interrupt has been handled, or once the work that it was meant to stop is
    /// over. A request by another signal remains.
    static func forgetInterrupt() {
        _ = request.compareExchange(expected: SIGINT, desired: 0, ordering: .relaxed)
    }

    /// Waits until there is something to read, or a signal arrives.
    ///
    /// A signal that arrives just before the wait also ends it, because signals are blocked between
    /// the check and the wait.
    ///
    /// - Returns: whether there may be something to read; `false` after a signal that is not a
    ///   request to stop.
    /// - Throws: ``Interrupted`` if a signal has asked the command to stop.
    static func awaitInput(on number: Int32) throws -> Bool {
        var former = block()
        defer { unblock(former) }
        try check()
        // A descriptor whose number is too large for a set is read without this wait.
        guard var waited = set(of: number) else { return true }
        // SAFETY: both sets are read or written during the call.
        let count = unsafe pselect(number + 1, &waited, nil, nil, nil, &former)
        let isSignal = count < 0 && errno == EINTR
        try check()
        // Any other failure will occur again in the read that follows, which reports it.
        return !isSignal
    }

    /// Sleeps until an instant.
    ///
    /// - Throws: ``Interrupted`` as soon as a signal has asked the command to stop.
    static func sleep(until end: ContinuousClock.Instant) throws {
        var former = block()
        defer { unblock(former) }
        while true {
            try check()
            let left = end - ContinuousClock.now
            guard left > .zero else { return }
            let (seconds, attoseconds) = left.components
            var time = timespec(
                tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            // SAFETY: `time` and `former` are read during the call.
            _ = unsafe pselect(0, nil, nil, nil, &time, &former)
        }
    }

    /// Blocks the signals that end a wait, so that none is missed between a check and the wait.
    ///
    /// - Returns: the signals that were blocked before.
    private static func block() -> sigset_t {
        var (held, former) = (sigset_t(), sigset_t())
        // SAFETY: both sets are written or read during the calls.
        unsafe sigemptyset(&held)
        for signal in asking + [SIGWINCH] { unsafe sigaddset(&held, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &held, &former)
        return former
    }

    /// Restores the set of blocked signals to `former`, which ``block()`` returned.
    private static func unblock(_ former: sigset_t) {
        var former = former
        // SAFETY: `former` is read during the call.
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// A set of only this descriptor; `nil` if the descriptor's number is too large for a set.
    private static func set(of number: Int32) -> fd_set? {
        guard number >= 0, number < FD_SETSIZE else { return nil }
        var set = fd_set()
        // SAFETY: a set has a bit for each number below FD_SETSIZE, the lowest first.
        unsafe withUnsafeMutableBytes(of: &set) { bytes in
            unsafe bytes[Int(number) / 8] |= 1 << UInt8(number % 8)
        }
        return set
    }

    /// Lets a change of the terminal's size end a wait for keys.
    static func noticeResizes() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        // No SA_RESTART, as above.
        // SAFETY: `action` is read during the call; the handler does nothing.
        _ = unsafe sigaction(SIGWINCH, &action, nil)
    }

    /// Stops the process until it is continued.
    static func stop() { _ = kill(getpid(), SIGTSTP) }

    /// Ends the process by a signal, so that its parent process sees which signal ended it.
    static func die(of number: Int32) -> Never {
        // SAFETY: this sets the default action, and installs no handler.
        _ = signal(number, SIG_DFL)
        _ = raise(number)
        exit(128 + number)
    }

    static func exit(_ status: Int32) -> Never { Glibc.exit(status) }
}
