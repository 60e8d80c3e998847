import BullaProcessSupport
import BullaTestSupport
import Glibc
import Testing

/// A pseudo-terminal: the test types into it, and another process has it as its terminal.
final class PseudoTerminal {
    /// The path that a process opens as its terminal.
    let path: String
    /// All output so far.
    private(set) var shown: [UInt8] = []

    private var master: Int32

    // TIOCSPTLCK and TIOCGPTN, whose numbers encode the size of the argument.
    private static let (lock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))

    init() throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number) = (Int32(0), Int32(0))
        // SAFETY: each call reads or writes one integer.
        let isReady =
            unsafe ioctl(master, Self.lock, &locked) == 0
            && ioctl(master, Self.getNumber, &number) == 0
        path = "/dev/pts/\(number)"
        try #require(isReady, "a pseudo-terminal is to be had")
    }

    deinit { hangUp() }

    /// Disconnects, like a terminal whose line is cut.
    func hangUp() {
        close(master)
        master = -1
    }

    func type(_ text: String) { type(Array(text.utf8)) }

    func type(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the bytes outlive the call.
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(master, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until everything typed has been read.
    func awaitTaken() throws {
        let end = unsafe open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
        defer { close(end) }
        let deadline = ContinuousClock.now + TestMode.patience
        var count: Int32 = 1
        while count > 0 {
            guard ContinuousClock.now < deadline else { throw WorkerHangs() }
            usleep(1_000)
            // SAFETY: writes one integer.
            try #require(unsafe ioctl(end, UInt(FIONREAD), &count) == 0)
        }
    }

    /// Waits until the terminal has shown a text this many times.
    func await(_ text: String, times: Int = 1) throws {
        while shownText.split(separator: text, omittingEmptySubsequences: false).count <= times {
            try readMore()
        }
    }

    var shownText: String { String(decoding: shown, as: UTF8.self) }

    private func readMore() throws {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        let patience = Int32(TestMode.patience.components.seconds * 1000)
        // SAFETY: one descriptor, as the count says.
        guard unsafe Glibc.poll(&poll, 1, patience) > 0 else { throw WorkerHangs() }
        var part = [UInt8](repeating: 0, count: 4096)
        // SAFETY: there is room for as many bytes as requested.
        let count = unsafe read(master, &part, part.count)
        try #require(count > 0, "the terminal has gone away")
        shown += part.prefix(count)
    }

    /// The terminal's settings that concern typing.
    var settings: [UInt32] {
        var attributes = termios()
        // SAFETY: the call writes `attributes`; this end reports the settings of the other.
        _ = unsafe tcgetattr(master, &attributes)
        return [
            attributes.c_iflag, attributes.c_lflag, UInt32(attributes.c_cc.5),
            UInt32(attributes.c_cc.6),
        ]
    }

    var isEchoing: Bool { settings[1] & UInt32(ECHO) != 0 }

    /// Declares the input to be UTF-8, as today's terminals do.
    func useUTF8() {
        var attributes = termios()
        // SAFETY: one call writes `attributes`, the other reads it.
        unsafe tcgetattr(master, &attributes)
        attributes.c_iflag |= tcflag_t(IUTF8)
        unsafe tcsetattr(master, TCSANOW, &attributes)
    }
}
