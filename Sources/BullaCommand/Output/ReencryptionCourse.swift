internal import Bulla

/// Shows the progress of a re-encryption, and stops it on request.
final class ReencryptionCourse {
    private enum Part {
        case sealing, waiting, erasing
    }

    private let isQuiet: Bool
    /// How long the re-encryption waits for others.
    private let patience: Duration
    private var part: Part?
    private var bar: ProgressBar?
    private var waitingSince: ContinuousClock.Instant?

    init(isQuiet: Bool, patience: Duration) {
        self.isQuiet = isQuiet
        self.patience = patience
    }

    /// Shows the progress; returns `false` after an interrupt, or when the wait was too long.
    func goesOn(_ progress: ReencryptionProgress) -> Bool {
        switch progress {
        case .sealing(let done, let total): show(.sealing, "seal", done, of: total)
        case .erasing(let done, let total): show(.erasing, "erase", done, of: total)
        case .waiting(let snapshots, let processes, let isLagging):
            wait(snapshots, processes, isLagging)
        }
        guard (try? Signals.check()) != nil else { return false }
        return waitingSince.map { ContinuousClock.now - $0 <= patience } ?? true
    }

    /// Removes what is shown.
    func finish() {
        bar?.finish()
        bar = nil
    }

    private func show(_ part: Part, _ label: String, _ done: Int, of total: Int) {
        waitingSince = nil
        if self.part != part {
            finish()
            self.part = part
            bar = ProgressBar(label, unit: .pages, total: total, isQuiet: isQuiet)
        }
        bar?.update(done)
    }

    private func wait(_ snapshots: Int, _ processes: [Int], _ isLagging: Bool) {
        guard part != .waiting else { return }
        finish()
        (part, waitingSince) = (.waiting, .now)
        guard !isQuiet else { return }
        let numbers = processes.map { "\($0)" }.joined(separator: ", ")
        let whose = snapshots > 0 ? Quantity.count(snapshots, "snapshot") + " of \(numbers)" : nil
        let other = isLagging ? "a process that has the store open and does nothing" : nil
        let what = [whose, other].compactMap { $0 }.joined(separator: ", and for ")
        StandardError.write("bulla: waiting for \(what)\n")
    }
}
