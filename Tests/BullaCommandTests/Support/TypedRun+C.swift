import Foundation
import Glibc
import Testing

/// A run of `bulla` at its own terminal, where a test types like a person.
final class TypedRun {
    /// Long enough for the slowest machine; it only ends a run that would wait forever.
    private static let patience: Int32 = 60_000

    /// The kernel's requests for such terminals: TIOCSPTLCK and TIOCGPTN.
    ///
    /// - Source: ioctl_tty(2).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    private let process = Process()
    private let terminal: FileHandle
    private var output = ""

    /// - Parameters:
    ///   - columns: the width of the terminal.
    ///   - isControlling: whether the run has a session of its own that this terminal controls, so
    ///     that its `/dev/tty` is this terminal.
    init(
        _ scratch: Scratch, _ arguments: [String], columns: UInt16 = 80,
        isControlling: Bool = false
    ) throws {
        let number = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(number >= 0)
        terminal = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var (lock, side): (Int32, Int32) = (0, 0)
        // SAFETY: each is read or written during its call.
        let results = unsafe [
            ioctl(number, Self.setLock, &lock), ioctl(number, Self.getNumber, &side),
            ioctl(number, UInt(TIOCSWINSZ), &size),
        ]
        try #require(results == [0, 0, 0])
        // Close it in other children. Otherwise a long-lived child that is just starting would keep
        // the terminal open, and the end of its output would never come.
        let other = unsafe open("/dev/pts/\(side)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(other >= 0)
        let handle = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        let words = [CommandRun.executable.path] + arguments
        let session = ["/usr/bin/setsid", "--ctty", "--wait"]
        try start(scratch, isControlling ? session + words : words, side: handle)
    }

    private func start(_ scratch: Scratch, _ words: [String], side: FileHandle) throws {
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = scratch.directory
        process.environment = ["TERM": "xterm", "LC_ALL": "C.UTF-8"]
        process.standardInput = side
        process.standardOutput = side
        process.standardError = side
        try withSignals { try process.run() }
        try side.close()
    }

    /// Unblocks signals, as a shell does.
    ///
    /// The threads that run tests block signals, and a process inherits that from the thread that
    /// starts it.
    private func withSignals(_ body: () throws -> Void) rethrows {
        var (none, former) = (sigset_t(), sigset_t())
        // SAFETY: both sets are read or written during the calls.
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &former)
        // SAFETY: `former` is read during the call.
        defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
        try body()
    }

    /// Waits until a text is shown, and moves past it.
    ///
    /// - Returns: the output before the text.
    @discardableResult
    func until(_ text: String) throws -> String {
        while true {
            if let found = output.range(of: text) {
                let before = String(output[..<found.lowerBound])
                output.removeSubrange(..<found.upperBound)
                return before
            }
            let isMore = try read()
            try #require(isMore, "waited for \(text), and there was \(output)")
        }
    }

    /// Presses keys.
    func type(_ keys: String) throws { try terminal.write(contentsOf: Data(keys.utf8)) }

    /// Types a line, and waits for the next prompt.
    ///
    /// - Returns: the output in between.
    func line(_ text: String, prompt: String = "bulla> ") throws -> String {
        try type(text + "\r")
        try until("\r\n")
        return try until(prompt)
    }

    /// Waits until the terminal is back in its original mode, as it is while a statement runs.
    func untilCooked() throws {
        while true {
            var settings = termios()
            // SAFETY: `settings` is written during the call and read after it.
            let result = unsafe tcgetattr(terminal.fileDescriptor, &settings)
            try #require(result == 0)
            if settings.c_lflag & tcflag_t(ISIG) != 0 { return }
            usleep(1000)
        }
    }

    /// Sends a signal to the process.
    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The signal that ends the process, or `nil` if it ends by itself.
    func endingSignal() throws -> Int32? {
        while try read() {}
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
    }

    /// The process's exit status.
    func end() throws -> Int32 {
        while try read() {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// - Returns: `false` at the end.
    private func read() throws -> Bool {
        var request = pollfd(fd: terminal.fileDescriptor, events: Int16(POLLIN), revents: 0)
        // SAFETY: `request` is one structure, read and written during the call.
        let count = unsafe poll(&request, 1, Self.patience)
        try #require(count > 0, "nothing more came: \(output)")
        var bytes = [UInt8](repeating: 0, count: 4096)
        // SAFETY: the buffer has an address and enough room.
        let byteCount = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe Glibc.read(terminal.fileDescriptor, buffer.baseAddress, buffer.count)
        }
        // At the end a terminal reports EIO.
        guard byteCount > 0 else { return false }
        output += String(decoding: bytes.prefix(byteCount), as: UTF8.self)
        return true
    }
}
