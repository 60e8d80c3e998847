import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite(.serialized) struct `Workers killed at any step` {
    private static let kinds = TestMode.pick(
        short: [StoreKind.gcm, .plain], long: [StoreKind.gcm, .gcm, .gcm, .ctrHMAC, .plain])
    /// Each round has a new store, so that growth happens again.
    private static let roundCount = TestMode.pick(short: 1, long: 10)
    private static let killsPerRound = TestMode.pick(short: 150, long: 200)
    /// Far above the real durations, because this test does not measure speed.
    private static let stallLimit: Duration = .seconds(10)

    private struct Figures {
        var kills = 0
        var armedKills = 0
        var operations: UInt64 = 0
        var longestFlush: Duration = .zero
        var acknowledged: UInt64 = 0
        var longestStall: Duration = .zero
        var longestOpening: Duration = .zero

        mutating func add(_ line: Scoreboard.Line) {
            operations += line.operations
            acknowledged += line.acknowledged
            longestStall = max(longestStall, .nanoseconds(line.longestStall))
            longestOpening = max(longestOpening, .nanoseconds(line.longestOpening))
        }
    }

    @Test(arguments: Self.kinds.indices, [false, true])
    func `1, 2. lose nothing that was acknowledged, and hold nobody up`(
        index: Int, hasShortLog: Bool
    ) throws {
        let (kind, start) = (Self.kinds[index], ContinuousClock.now)
        var figures = Figures()
        for round in 0..<Self.roundCount {
            let seed = Int.random(in: 0..<1 << 30)
            let log = hasShortLog ? "short" : "usual"
            print("kill torture: \(kind.rawValue), \(log) log, round \(round), seed \(seed)")
            try torture(kind, seed, hasShortLog: hasShortLog, &figures)
        }
        print(
            "kill torture: \(kind.rawValue), \(figures.kills) kills, \(figures.armedKills) at a "
                + "step, in \(ContinuousClock.now - start); \(figures.operations) operations, "
                + "\(figures.acknowledged) acknowledged commits, longest stall "
                + "\(figures.longestStall), longest opening \(figures.longestOpening); longest "
                + "append and flush of a bare file beside them \(figures.longestFlush)")
        #expect(figures.longestStall < Self.stallLimit)
        #expect(figures.longestOpening < Self.stallLimit)
    }

    private func torture(
        _ kind: StoreKind, _ seed: Int, hasShortLog: Bool, _ figures: inout Figures
    ) throws {
        let files = try TestStore(kind)
        try files.createTorture(hasShortLog: hasShortLog)
        var crew = TortureCrew(files, seed: seed)
        let flushes = try BareFlushes(files.scratch.path("bare"))
        try crew.goOn(untilKills: Self.killsPerRound)
        try crew.stop()
        figures.longestFlush = max(figures.longestFlush, try flushes.stop())
        figures.kills += crew.killCount
        figures.armedKills += crew.armedKillCount
        let scores = try Scoreboard(files.scoresPath)
        try files.expectSurvived(scores)
        for worker in 0..<TortureLayout.writerCount + TortureLayout.readerCount {
            figures.add(scores[worker])
        }
    }
}
