internal import Bulla
internal import BullaText

/// Shows the progress of a long operation on a terminal.
///
/// It shows nothing if standard error is not a terminal, or if the command wants it to be quiet.
final class ProgressBar {
    /// The unit that is counted.
    enum Unit {
        case bytes, entries, pages, objects
    }

    /// The time between two updates: short enough to show movement, and long enough to cost
    /// nothing.
    private static let interval: Duration = .milliseconds(100)
    private static let width = 30

    private let label: String
    private let unit: Unit
    private var total: Int?
    private let isShown: Bool
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant?

    /// - Parameter total: the amount of work in units; `nil` if it is not yet known.
    init(_ label: String, unit: Unit, total: Int?, isQuiet: Bool) {
        self.label = label
        self.unit = unit
        self.total = total.flatMap { $0 == 0 ? nil : $0 }
        isShown = !isQuiet && Descriptor.standardError.isTerminal
        begin = clock.now
    }

    deinit { finish() }

    /// Shows that `done` units are done.
    func update(_ done: Int) {
        guard isShown else { return }
        let now = clock.now
        if let shown, now - shown < Self.interval { return }
        shown = now
        // Clears the line, because the previous text may have been longer.
        StandardError.write("\r\u{1B}[K" + line(done, after: (now - begin) / .seconds(1)))
    }

    /// Shows the progress that a call of the engine reports.
    func update(_ progress: TaskProgress) {
        if let total = progress.total { self.total = total == 0 ? nil : total }
        update(progress.completed)
    }

    /// Removes the bar.
    func finish() {
        guard shown != nil else { return }
        shown = nil
        StandardError.write("\r\u{1B}[K")
    }

    private func line(_ done: Int, after seconds: Double) -> String {
        let rate = seconds > 0 ? Int(Double(done) / seconds) : 0
        let speed = "\(text(done)), \(text(rate))/s"
        guard let total else { return "\(label): \(speed)" }
        let part = min(1, Double(done) / Double(total))
        let filled = Int(part * Double(Self.width))
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        let left = part > 0 ? ", \(Quantity.decimal(seconds / part - seconds)) s left" : ""
        return "\(label) [\(bar)] \(Int(part * 100)) %, \(speed)\(left)"
    }

    private func text(_ count: Int) -> String {
        switch unit {
        case .bytes: Quantity.bytes(count)
        case .entries: "\(count) entries"
        case .pages: "\(count) pages"
        case .objects: "\(count) objects"
        }
    }
}
