import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// Processes are killed in the middle of changing slots, the data keys, or the secret itself.
@Suite(.serialized) struct `A locksmith killed at any step` {
    /// Each round has a new store.
    private static let roundCount = TestMode.pick(short: 1, long: 4)
    private static let killsPerRound = TestMode.pick(short: 16, long: 70)

    private struct Figures {
        var kills = 0
        var steps: [KillStep: Int] = [:]
        var verbs: [String: Int] = [:]
        var acknowledged: UInt64 = 0
    }

    @Test(arguments: StoreKind.encrypted, [false, true])
    func `leaves the former way or the new one, and every record`(
        kind: StoreKind, isAlone: Bool
    ) throws {
        let start = ContinuousClock.now
        var figures = Figures()
        for round in 0..<Self.roundCount {
            let seed = Int.random(in: 0..<1 << 30)
            print("key torture: \(kind.rawValue), alone \(isAlone), round \(round), seed \(seed)")
            try torture(kind, seed, isAlone: isAlone, &figures)
        }
        let steps = figures.steps.map { "\($0.key.rawValue) \($0.value)" }.sorted()
        let verbs = figures.verbs.map { "\($0.key) \($0.value)" }.sorted()
        print(
            "key torture: \(kind.rawValue), alone \(isAlone), \(figures.kills) kills, "
                + "\(figures.steps.values.reduce(0, +)) at a step (\(steps.joined(separator: ", "))"
                + "); finished: \(verbs.joined(separator: ", ")); \(figures.acknowledged) "
                + "acknowledged commits; in \(ContinuousClock.now - start)")
    }

    /// The next opener then finds a keyring that is newer than the one that the newest commit
    /// names.
    @Test(
        arguments: StoreKind.encrypted, [KillStep.writeFirstKeyring, .writeSecondKeyring])
    func `while it names a new secret leaves the former one or the new one in use, to all`(
        kind: StoreKind, step: KillStep
    ) throws {
        let files = try TestStore(kind)
        var crew = try LocksmithCrew(files, seed: 1)
        try crew.begin(isAlone: false)
        try crew.kill(at: KillPoint(step, .after), isReencrypting: true)
        try crew.finishVerbs()
        try crew.stop()
        try files.expectFormerSecretGone()
    }

    private func torture(
        _ kind: StoreKind, _ seed: Int, isAlone: Bool, _ figures: inout Figures
    ) throws {
        let files = try TestStore(kind)
        var crew = try LocksmithCrew(files, seed: seed)
        try crew.begin(isAlone: isAlone)
        try crew.goOn(untilKills: isAlone ? Self.killsPerRound / 2 : Self.killsPerRound)
        try crew.stop()
        figures.kills += crew.killCount
        figures.steps.merge(crew.steps, uniquingKeysWith: +)
        let ledger = try KeyLedger(readingFrom: files.ledgerPath)
        figures.verbs.merge(ledger.finished, uniquingKeysWith: +)
        figures.acknowledged += crew.acknowledged
        try files.expectFormerSecretGone()
    }
}
