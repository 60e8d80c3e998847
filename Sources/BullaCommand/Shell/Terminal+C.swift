internal import BullaText
internal import Glibc

/// The user's terminal.
final class Terminal {
    private static let readByteCount = 1024

    private var former = termios()
    private var isRaw = false

    /// The terminal; `nil` unless both standard input and standard output are terminals on which
    /// lines can be edited.
    init?() {
        guard Descriptor.standardInput.isScreen, Descriptor.standardOutput.isScreen else {
            return nil
        }
    }

    deinit { leaveRaw() }

    /// Makes keys arrive as they are pressed, without echo.
    func enterRaw() throws {
        guard !isRaw else { return }
        // SAFETY: `former` is written during the call.
        guard unsafe tcgetattr(0, &former) == 0 else {
            throw CommandError(system: errno, "read the terminal's settings")
        }
        var raw = former
        raw.c_iflag &= ~tcflag_t(ICRNL | IXON | INLCR | IGNCR)
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_cc.6 = 1
        raw.c_cc.5 = 0
        // A second interrupt must not end the process before the settings are restored.
        Signals.catchInterrupts(isEach: true)
        guard Self.set(&raw) else {
            let failure = errno
            Signals.catchInterrupts()
            throw CommandError(system: failure, "set the terminal")
        }
        isRaw = true
        Signals.noticeResizes()
        // Makes the terminal mark the beginning and the end of pasted text.
        try write("\u{1B}[?2004h")
    }

    /// Restores the terminal's settings.
    func leaveRaw() {
        guard isRaw else { return }
        isRaw = false
        try? write("\u{1B}[?2004l")
        _ = Self.set(&former)
        Signals.catchInterrupts()
    }

    /// Applies settings, and tries again if a signal interrupts the wait for pending output.
    private static func set(_ attributes: inout termios) -> Bool {
        while true {
            // SAFETY: `attributes` is read during the call.
            guard unsafe tcsetattr(0, TCSADRAIN, &attributes) != 0 else { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Waits for keys.
    ///
    /// - Returns: the bytes that arrived; `nil` at the end of the input; an empty array if a signal
    ///   ended the wait, as after a change of the terminal's size.
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
        // A terminal that is gone returns EIO.
        return failure == EINTR ? [] : nil
    }

    func write(_ text: String) throws { try ByteOutput.print(text) }

    /// The current width in columns.
    var columnCount: Int { Descriptor.standardOutput.columnCount }
}
