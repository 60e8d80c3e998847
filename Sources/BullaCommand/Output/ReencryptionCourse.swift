internal import Bulla

/// Shows the progress of a re-encryption, and stops it on request.
final class ReencryptionCourse {
    private enum Part {
        case sealing, waiting, erasing
    }

    /// The store, for messages.
    private let store: String
    private let isQuiet: Bool
    /// How long the re-encryption waits for other processes.
    private let patience: Duration
    private var part: Part?
    private var bar: ProgressBar?
    private var waitingSince: ContinuousClock.Instant?
    /// Whether the re-encryption has waited for other processes for longer than `patience`.
    private(set) var isOutOfPatience = false

    init(_ store: String, isQuiet: Bool, patience: Duration) {
        self.store = store
        self.isQuiet = isQuiet
        self.patience = patience
    }

    /// Shows the progress.
    ///
    /// - Throws: `cancelled` after an interrupt; `busy` if other processes keep the re-encryption
    ///   waiting for longer than `patience`.
    func update(_ progress: ReencryptionProgress) throws(BullaError) {
        switch progress {
        case .sealing(let done): show(.sealing, "seal", done)
        case .erasing(let done): show(.erasing, "erase", done)
        case .waiting(let snapshots, let processes, let isLagging):
            wait(snapshots, processes, isLagging)
        }
        guard (try? Signals.check()) != nil else {
            throw BullaError(.cancelled, "re-encrypt \(store): interrupted")
        }
        guard let waitingSince, ContinuousClock.now - waitingSince > patience else { return }
        isOutOfPatience = true
        throw BullaError(
            .busy,
            "re-encrypt \(store): others still read under the former secret after \(patience)")
    }

    /// Removes what is shown.
    func finish() {
        bar?.finish()
        bar = nil
    }

    private func show(_ part: Part, _ label: String, _ done: TaskProgress) {
        waitingSince = nil
        if self.part != part {
            finish()
            self.part = part
            bar = ProgressBar(label, unit: .pages, total: nil, isQuiet: isQuiet)
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
