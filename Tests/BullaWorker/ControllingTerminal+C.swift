import BullaTestSupport
import Glibc

/// The terminal behind this process's `/dev/tty`.
enum ControllingTerminal {
    /// Begins a session with the terminal at this path, or with no terminal for `none`.
    static func take(_ path: String) throws {
        guard setsid() >= 0 else {
            throw WorkerFailure(exit: .badCommand, message: "there is no new session")
        }
        // The test thread that starts this process may block signals, and the process inherits
        // that.
        var none = sigset_t()
        // SAFETY: the set is emptied before it is read.
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        guard path != "none" else { return }
        // Leave it open, because the session keeps its terminal only as long as a process has it
        // open.
        let terminal = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0, ioctl(terminal, UInt(TIOCSCTTY), 0) == 0 else {
            throw WorkerFailure(exit: .badCommand, message: "there is no terminal \(path)")
        }
    }

    /// Makes this process survive the interrupt key and the loss of the terminal.
    static func ignoreInterrupts() { for number in [SIGINT, SIGHUP] { signal(number, SIG_IGN) } }
}
