internal import BullaText
internal import Glibc

/// Shows on the standard error what a run is doing.
///
/// On a terminal it keeps redrawing a few lines: the table so far, and a bar. Elsewhere it writes
/// one line for each step, such as reading the input, and one after each round of all rows.
package final class Progress {
    private static let barWidth = 24

    private let isInteractive: Bool
    private let isSilent: Bool
    private let start = Clock.now
    private var drawnLineCount = 0
    private var table: [String] = []

    package init(isSilent: Bool = false) {
        self.isSilent = isSilent
        isInteractive = !isSilent && Terminal.isInteractive
    }

    package func step(_ text: String) { isInteractive ? draw([text]) : say(text) }

    /// Reports that a round is about to begin.
    ///
    /// - Parameter share: how much of the run is over, 0 to 1.
    package func round(_ text: String, share: Double) {
        guard isInteractive else { return }
        let filled = Int((min(max(share, 0), 1) * Double(Self.barWidth)).rounded())
        let rest = String(repeating: ".", count: Self.barWidth - filled)
        let bar = String(repeating: "#", count: filled) + rest
        draw(table + ["[\(bar)] \(elapsed)  \(text)"])
    }

    /// Reports that pass `number` is done: every row has had one more round.
    package func pass(_ number: Int, _ table: [String]) {
        self.table = table
        if !isInteractive { say("pass \(number) done after \(elapsed)") }
    }

    package func clear() { draw([]) }
    private func say(_ text: String) { if !isSilent { Terminal.write(text + "\n") } }
    private var elapsed: String { Format.fixed(Double(Clock.now - start) / 1e9, 0) + " s" }

    private func draw(_ lines: [String]) {
        guard isInteractive else { return }
        guard !lines.isEmpty || drawnLineCount > 0 else { return }
        let back = drawnLineCount > 0 ? "\u{1B}[\(drawnLineCount)A\u{1B}[J" : ""
        // Wrapping is off, so that each line takes one row even on a narrow terminal.
        Terminal.write("\u{1B}[?7l" + back + lines.map { $0 + "\n" }.joined() + "\u{1B}[?7h")
        drawnLineCount = lines.count
    }
}

/// Where messages for people go: the standard error.
package enum Terminal {
    /// Whether the standard error is a terminal that can be redrawn.
    static var isInteractive: Bool {
        // SAFETY: the string is copied before the environment can change.
        let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) }
        return isatty(STDERR_FILENO) == 1 && kind != "dumb"
    }

    package static func write(_ text: String) {
        // Errors are ignored, because nothing depends on whether a message was shown.
        try? Descriptor.standardError.write(Array(text.utf8))
    }
}
