import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// A long job of `BULLA_SECONDS` seconds; because it measures speed, no short run contains it.
@Suite(.enabled(if: TestMode.isLong), .serialized) struct `Three readers beside a writer` {
    private static let readers = [4, 5, 6]
    private static let seconds =
        ProcessInfo.processInfo.environment["BULLA_SECONDS"].flatMap { Int($0) } ?? 120
    /// How long the writer runs each time, and how long it is then stopped.
    ///
    /// The writer is stopped many times, because what a reader must verify depends on the place of
    /// the stop.
    private static let turnSeconds = min(5, max(1, seconds / 4))

    private struct Rate {
        var operations: UInt64 = 0
        var time: Duration = .zero
        var perSecond: Double {
            let (seconds, attoseconds) = time.components
            return Double(operations) / (Double(seconds) + Double(attoseconds) / 1e18)
        }
    }

    @Test func `read nothing that never was, for as long as it takes`() throws {
        let files = try TestStore(.gcm)
        try files.createTorture()
        let scores = try Scoreboard(files.scoresPath)
        let writer = try files.torturer(0, seed: 1, isSteady: true)
        let readers = try Self.readers.map { try files.torturer($0, seed: $0, isSteady: true) }
        for worker in readers + [writer] { _ = try worker.values() }
        var (alone, beside) = (Rate(), Rate())
        let end = ContinuousClock.now + .seconds(Self.seconds)
        while ContinuousClock.now < end {
            count(&beside, scores)
            writer.child.signal(ChildProcess.stop)
            count(&alone, scores)
            writer.child.signal(ChildProcess.goOn)
            for worker in readers + [writer] { #expect(worker.child.ended() == nil) }
        }
        for worker in readers + [writer] { _ = try worker.stop() }
        tell(alone, beside, scores)
        try files.expectSurvived(scores)
    }

    private func count(_ rate: inout Rate, _ scores: Scoreboard) {
        let (start, before) = (ContinuousClock.now, operations(scores))
        Thread.sleep(forTimeInterval: Double(Self.turnSeconds))
        rate.operations += operations(scores) - before
        rate.time += ContinuousClock.now - start
    }

    private func operations(_ scores: Scoreboard) -> UInt64 {
        Self.readers.reduce(0) { $0 + scores[$1].operations }
    }

    private func tell(_ alone: Rate, _ beside: Rate, _ scores: Scoreboard) {
        let stall = Self.readers.map { scores[$0].longestStall }.max() ?? 0
        print(
            "readers beside a writer: \(Int(alone.perSecond)) verified snapshots/s while it "
                + "stands still, \(Int(beside.perSecond)) while it writes; "
                + "\(scores[0].acknowledged) commits; a reader's longest stall "
                + "\(Duration.nanoseconds(stall))")
    }
}
