import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite(.serialized) struct `A process killed at each step` {
    /// Each moment of each step.
    private static let cases = KillStep.ofWork.flatMap { step in
        step.moments.map { KillPoint(step, $0) }
    }

    @Test(arguments: cases)
    func `1. leaves the data to others and to later processes`(point: KillPoint) throws {
        let files = try TestStore(.gcm)
        try files.createTorture(hasShortLog: KillStep.ofLog.contains(point.step))
        let scores = try Scoreboard(files.scoresPath)
        let isAlone = KillStep.lonely.union(KillStep.shared).contains(point.step)
        let others = try isAlone ? [] : others(files)
        // A busy process makes a mark only after it has had the store open for a second.
        let victim = try files.torturer(
            0, seed: 1, point,
            isSteady: [.writeFirstMark, .writeSecondMark].contains(point.step))
        #expect(
            try victim.child.wait(patience: TestMode.patience) == .killed(ChildProcess.kill))

        let heir = try files.torturer(0, seed: 2)
        try scores.awaitProgress(of: isAlone ? [0] : [0, 1, 4])
        for worker in others + [heir] { _ = try worker.stop() }
        try files.expectSurvived(scores)
    }

    /// A writer and a reader.
    private func others(_ files: TestStore) throws -> [WorkerProcess] {
        let others = try [1, 4].map { try files.torturer($0, seed: $0) }
        for worker in others { _ = try worker.values() }
        return others
    }
}
