internal import BullaText
internal import Glibc

/// The terminal that somebody types at.
final class Terminal {
    private static let readByteCount = 1024

    private var former = termios()
    private var isRaw = false

    /// The terminal, where standard input and output are one that text can be written over on.
    init?() {
        guard Descriptor.standardInput.isScreen, Descriptor.standardOutput.isScreen else {
            return nil
        }
    }

    deinit { leaveRaw() }

    /// From now on each key comes as it is pressed, and is not shown.
    func enterRaw() throws {
        guard !isRaw else { return }
        // SAFETY: `former` is written during the call.
        guard unsafe tcgetattr(0, &former) == 0 else {
            throw CommandError(system: errno, "ask the terminal how it is set")
        }
        var raw = former
        raw.c_iflag &= ~tcflag_t(ICRNL | IXON | INLCR | IGNCR)
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_cc.6 = 1
        raw.c_cc.5 = 0
        // A second signal must not end the process before the terminal is as it was.
        Signals.catchInterrupts(isEach: true)
        guard Self.set(&raw) else {
            let failure = errno
            Signals.catchInterrupts()
            throw CommandError(system: failure, "set the terminal")
        }
        isRaw = true
        Signals.noticeResizes()
        // What is pasted comes between two marks.
        try write("\u{1B}[?2004h")
    }

    /// Sets the terminal to what it was.
    func leaveRaw() {
        guard isRaw else { return }
        isRaw = false
        try? write("\u{1B}[?2004l")
        _ = Self.set(&former)
        Signals.catchInterrupts()
    }

    /// Sets the terminal, however many signals come while it shows the rest of what was written.
    private static func set(_ attributes: inout termios) -> Bool {
        while true {
            // SAFETY: `attributes` is read during the call.
            guard unsafe tcsetattr(0, TCSADRAIN, &attributes) != 0 else { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Waits for keys.
    ///
    /// - Returns: what came, `nil` at the end; nothing where the size of the terminal has changed.
    func read() throws -> [UInt8]? {
        guard try Signals.awaitInput(on: 0) else { return [] }
        var bytes = [UInt8](repeating: 0, count: Self.readByteCount)
        // SAFETY: the buffer has an address and room.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe Glibc.read(0, buffer.baseAddress, buffer.count)
        }
        let failure = errno
        try Signals.check()
        guard count < 0 else { return count == 0 ? nil : Array(bytes.prefix(count)) }
        // A terminal that went away says EIO.
        return failure == EINTR ? [] : nil
    }

    func write(_ text: String) throws { try ByteOutput.print(text) }

    /// How many columns it has now.
    var columnCount: Int { Descriptor.standardOutput.columnCount }
}
