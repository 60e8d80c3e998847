internal import CBullaShared
internal import Glibc

/// This process's terminal; as long as the value lives, the terminal does not show what is typed.
///
/// - Source: termios(3), tty_ioctl(4).
struct SilentTerminal: ~Copyable {
    private let descriptor: Int32
    private let name: String
    private var former = termios()
    private var formerSignals = sigset_t()
    private var isSilent = false
    /// The signal to send once the terminal is restored.
    private var pendingSignal: Int32?

    init(name: String) throws(BullaError) {
        self.name = name
        descriptor = unsafe bulla_open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY, 0)
        guard descriptor >= 0 else { throw unavailable("open") }
        try silence()
    }

    deinit {
        if isSilent {
            var former = former
            _ = Self.set(descriptor, &former, TCSANOW)
        }
        if descriptor >= 0 { close(descriptor) }
        var formerSignals = formerSignals
        // SAFETY: the set was filled when signals were blocked; before that it is not used.
        if isSilent { unsafe pthread_sigmask(SIG_SETMASK, &formerSignals, nil) }
        if let pendingSignal { kill(getpid(), pendingSignal) }
    }

    private func unavailable(_ verb: String) -> BullaError {
        BullaError(
            .keyPromptUnavailable,
            "take a secret from \(name): there is no terminal to ask at (\(verb) /dev/tty)",
            errno: errno)
    }

    /// Turns off the echo, and makes reads return byte by byte.
    ///
    /// If the kernel edited the line, the interrupt key could end the input only by a signal.
    /// Another thread, which does not block the signal, would get it, and the process would end
    /// before the terminal was restored.
    private mutating func silence() throws(BullaError) {
        // SAFETY: `former` is written during the call.
        guard unsafe tcgetattr(descriptor, &former) == 0 else { throw unavailable("ask") }
        var silent = former
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
        // A read waits for one byte, and returns with it (VMIN, VTIME).
        silent.c_cc.6 = 1
        silent.c_cc.5 = 0
        var blocked = sigset_t()
        // SAFETY: both sets are ours, and `blocked` is emptied before it is filled.
        unsafe sigemptyset(&blocked)
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP] {
            unsafe sigaddset(&blocked, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &formerSignals)
        guard Self.set(descriptor, &silent, TCSAFLUSH) else {
            let failure = unavailable("set")
            unsafe pthread_sigmask(SIG_SETMASK, &formerSignals, nil)
            throw failure
        }
        isSilent = true
    }

    /// Sets the terminal, however many signals interrupt the call.
    private static func set(
        _ descriptor: Int32, _ attributes: inout termios, _ when: Int32
    ) -> Bool {
        while true {
            // SAFETY: `attributes` is read during the call.
            guard unsafe tcsetattr(descriptor, when, &attributes) != 0 else { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Shows a question, and reads the line that is typed.
    mutating func ask(_ prompt: String) throws(BullaError) -> Secret {
        try show(prompt)
        var line = try TypedLine(name: name)
        while true {
            guard try line.takeByte(from: descriptor) else { break }
            switch key(line.newest) {
            case .end(let isAlone) where !isAlone || line.isEmpty:
                try show("\n")
                return try line.secret()
            case .end: continue
            case .erase: line.erase(isUTF8: former.c_iflag & tcflag_t(IUTF8) != 0)
            case .clear: line.clear()
            case .refused: continue
            case .interrupt(let signal):
                pendingSignal = signal
                try show("\n")
                throw BullaError(
                    .io, "take a secret from \(name): interrupted at the terminal", errno: EINTR)
            case .other: line.keep()
            }
        }
        throw BullaError(
            .io, "take a secret from \(name): the terminal went away before the line's end")
    }

    private enum Key {
        /// A key that ends the line; if `isAlone`, only when nothing was typed before it.
        case end(isAlone: Bool)
        case erase
        case clear
        case interrupt(Int32)
        /// A key that would suspend, reprint or the like: ignored, and never part of a secret.
        case refused
        case other
    }

    /// What a byte means at this terminal; a zero byte is never a special key, because `c_cc` has
    /// zero for each key that is switched off.
    private func key(_ byte: UInt8) -> Key {
        let keys = former.c_cc
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .end(isAlone: false)
        case 0: return .other
        case keys.4: return .end(isAlone: true)
        case keys.2, 0x08, 0x7F: return .erase
        // Nobody sees where the last word begins, so the key that erases a word (VWERASE) does the
        // same as the key that erases the line (VKILL).
        case keys.3, keys.14: return .clear
        // VSUSP, VREPRINT, VDISCARD, VLNEXT.
        case keys.10, keys.12, keys.13, keys.15: return .refused
        case keys.0 where former.c_lflag & tcflag_t(ISIG) != 0: return .interrupt(SIGINT)
        case keys.1 where former.c_lflag & tcflag_t(ISIG) != 0: return .interrupt(SIGQUIT)
        default: return .other
        }
    }

    private func show(_ text: String) throws(BullaError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // SAFETY: the bytes live through the call.
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .system("ask at \(name)") }
            rest = rest.dropFirst(count)
        }
    }
}
