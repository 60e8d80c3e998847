import BullaTestSupport
import Glibc

/// The terminal that `/dev/tty` is for this process.
enum ControllingTerminal {
    /// Begins a session, and takes a terminal for it; with `none`, it has none.
    static func take(_ path: String) throws {
        guard setsid() >= 0 else {
            throw WorkerFailure(exit: .badCommand, message: "there is no new session")
        }
        // The thread of a test that starts a process may block them, and hands that down.
        var none = sigset_t()
        // SAFETY: the set is emptied before it is read.
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        guard path != "none" else { return }
        // Stays open: the session has its terminal as long as somebody has it open.
        let terminal = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0, ioctl(terminal, UInt(TIOCSCTTY), 0) == 0 else {
            throw WorkerFailure(exit: .badCommand, message: "there is no terminal \(path)")
        }
    }

    /// Neither the interrupt key ends this process, nor the terminal's going away.
    static func ignoreInterrupts() { for number in [SIGINT, SIGHUP] { signal(number, SIG_IGN) } }
}
