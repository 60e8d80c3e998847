import BullaProcessSupport
import BullaTestSupport
import Glibc
import Testing

/// A terminal at which the test types, and whose session another process has.
final class PseudoTerminal {
    /// What a process opens as its terminal.
    let path: String
    /// Everything that was shown so far.
    private(set) var shown: [UInt8] = []

    private var master: Int32

    // TIOCSPTLCK and TIOCGPTN, which have an argument in their number.
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

    /// Goes away, as a terminal does whose line is cut.
    func hangUp() {
        close(master)
        master = -1
    }

    func type(_ text: String) { type(Array(text.utf8)) }

    func type(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the bytes live through the call.
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(master, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until somebody has read all that was typed.
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

    /// Waits until the terminal has shown a text so many times.
    func await(_ text: String, times: Int = 1) throws {
        while shownText.split(separator: text, omittingEmptySubsequences: false).count <= times {
            try readMore()
        }
    }

    var shownText: String { String(decoding: shown, as: UTF8.self) }

    private func readMore() throws {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        let patience = Int32(TestMode.patience.components.seconds * 1000)
        // SAFETY: one descriptor, as many as are named.
        guard unsafe Glibc.poll(&poll, 1, patience) > 0 else { throw WorkerHangs() }
        var part = [UInt8](repeating: 0, count: 4096)
        // SAFETY: room for as many bytes as are asked for.
        let count = unsafe read(master, &part, part.count)
        try #require(count > 0, "the terminal has gone away")
        shown += part.prefix(count)
    }

    /// How the terminal is set, as far as it is about what is typed.
    var settings: [UInt32] {
        var attributes = termios()
        // SAFETY: `attributes` is written by the call; at this end it tells of the other.
        _ = unsafe tcgetattr(master, &attributes)
        return [
            attributes.c_iflag, attributes.c_lflag, UInt32(attributes.c_cc.5),
            UInt32(attributes.c_cc.6),
        ]
    }

    var isEchoing: Bool { settings[1] & UInt32(ECHO) != 0 }

    /// Says that what is typed is UTF-8, as terminals of today do.
    func useUTF8() {
        var attributes = termios()
        // SAFETY: `attributes` is written by one call and read by the other.
        unsafe tcgetattr(master, &attributes)
        attributes.c_iflag |= tcflag_t(IUTF8)
        unsafe tcsetattr(master, TCSANOW, &attributes)
    }
}
