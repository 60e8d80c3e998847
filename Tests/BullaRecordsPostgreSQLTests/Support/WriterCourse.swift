#if PostgreSQL
import BullaProcessSupport
import BullaRecordsWorker
import BullaTestSupport
import Foundation
import Synchronization

/// Writers in processes of their own, and what they have reported so far.
final class WriterCourse: Sendable {
    private struct State {
        var reports: [BatchReport] = []
        /// How many reports there are of each account.
        var counts: [UInt8: Int] = [:]
        /// When a cluster was not up, on the clock of the reports.
        var windows: [ClusterPhase: [Range<UInt64>]] = [:]
        var hasFailed = false
    }

    private let crew: TrialCrew
    private let commands: [[String]]
    private let state = Mutex(State())
    /// Signals each report, and each failure.
    private let progress = DispatchSemaphore(value: 0)

    /// - Parameter commands: the values of each writer's command.
    init(_ crew: TrialCrew, _ commands: [[String]]) {
        (self.crew, self.commands) = (crew, commands)
    }

    var reports: [BatchReport] { state.withLock { $0.reports } }
    var windows: [ClusterPhase: [Range<UInt64>]] { state.withLock { $0.windows } }

    func count(of account: UInt8) -> Int { state.withLock { $0.counts[account] ?? 0 } }

    func note(_ phase: ClusterPhase, _ window: Range<UInt64>) {
        state.withLock { $0.windows[phase, default: []].append(window) }
    }

    /// Runs the writers, and a disturbance beside them, until all have ended.
    func run(beside disturbance: @escaping @Sendable (WriterCourse) throws -> Void) throws {
        let writerCount = commands.count
        try Crew.run(writerCount + 1) { [self] number in
            do {
                if number < writerCount {
                    try follow(commands[number])
                } else {
                    try disturbance(self)
                }
            } catch {
                state.withLock { $0.hasFailed = true }
                progress.signal()
                throw error
            }
        }
    }

    /// Waits until the writers have come far enough; `isFar` judges by each account's number of
    /// reports.
    func wait(until isFar: ([UInt8: Int]) -> Bool) throws {
        while true {
            let (counts, hasFailed) = state.withLock { ($0.counts, $0.hasFailed) }
            guard !hasFailed else { throw ClusterFault(message: "a writer has failed") }
            if isFar(counts) { return }
            progress.wait()
        }
    }

    private func follow(_ command: [String]) throws {
        let process = try crew.worker("spread", command)
        while let line = try process.line() {
            let report = try BatchReport(line)
            state.withLock { state in
                state.reports.append(report)
                state.counts[report.zone.account, default: 0] += 1
            }
            progress.signal()
        }
        let end = try process.child.wait(patience: TestMode.patience)
        guard end == .done else {
            throw ClusterFault(message: "a writer \(end): \(crew.complaints)")
        }
    }
}
#endif
