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

    private static let asking = [SIGINT, SIGTERM, SIGHUP]

    /// From now on an interrupt is a request, until the command looks at it with ``check()``.
    ///
    /// - Parameter isEach: whether the second one is a request as well, and does not kill: while
    ///   the terminal is not as it was.
    static func catchInterrupts(isEach: Bool = false) {
        for number in asking {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                Signals.request.store(number, ordering: .relaxed)
            }
            // No SA_RESTART: a read that waits for a slow pipe must return and be asked.
            action.sa_flags = isEach ? 0 : Int32(bitPattern: UInt32(SA_RESETHAND))
            // SAFETY: `action` is read during the call; the handler only stores to an atomic.
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Throws when a signal has asked to stop.
    static func check() throws {
        let number = request.load(ordering: .relaxed)
        guard number == 0 else { throw Interrupted(signal: number) }
    }

    /// Lets an interrupt from the keyboard be forgotten.
    ///
    /// It was answered, or what it was meant for is over. A request to terminate stands.
    static func forgetInterrupt() {
        _ = request.compareExchange(expected: SIGINT, desired: 0, ordering: .relaxed)
    }

    /// Waits until there is something to read, or a signal comes.
    ///
    /// A signal that came before is seen as well: from the look at it to the wait it is held back.
    ///
    /// - Returns: whether there may be something to read; `false` after a signal that asks nothing.
    /// - Throws: ``Interrupted`` when a signal has asked to stop.
    static func awaitInput(on number: Int32) throws -> Bool {
        var former = hold()
        defer { letIn(former) }
        try check()
        // What has no place in the set is read without the wait.
        guard var waited = set(of: number) else { return true }
        // SAFETY: both sets are read or written during the call.
        let count = unsafe pselect(number + 1, &waited, nil, nil, nil, &former)
        let isSignal = count < 0 && errno == EINTR
        try check()
        // Any other failure is one of the read that follows, which says what it is.
        return !isSignal
    }

    /// Sleeps until a moment.
    ///
    /// - Throws: ``Interrupted`` at once when a signal asks to stop, or has asked before.
    static func sleep(until end: ContinuousClock.Instant) throws {
        var former = hold()
        defer { letIn(former) }
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

    /// Holds signals back, so that none comes between a look at them and a wait.
    ///
    /// - Returns: what was held back before.
    private static func hold() -> sigset_t {
        var (held, former) = (sigset_t(), sigset_t())
        // SAFETY: both sets are written or read during the calls.
        unsafe sigemptyset(&held)
        for signal in asking + [SIGWINCH] { unsafe sigaddset(&held, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &held, &former)
        return former
    }

    private static func letIn(_ former: sigset_t) {
        var former = former
        // SAFETY: `former` is read during the call.
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// A set of descriptors with one in it; `nil` where its number is too large for one.
    private static func set(of number: Int32) -> fd_set? {
        guard number >= 0, number < FD_SETSIZE else { return nil }
        var set = fd_set()
        // SAFETY: a set has a bit for each number below FD_SETSIZE, the lowest first.
        unsafe withUnsafeMutableBytes(of: &set) { bytes in
            unsafe bytes[Int(number) / 8] |= 1 << UInt8(number % 8)
        }
        return set
    }

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
