import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// A worker that changes a store's keys and is killed repeatedly, and others that are not killed.
struct LocksmithCrew {
    /// The numbers of the writers and readers that are not killed.
    static let company = [0, 1, TortureLayout.writerCount, TortureLayout.writerCount + 1]

    let files: TestStore
    private let scores: Scoreboard
    private var random: TestRandom
    private var keys = KeyRing()
    private var points: [KillPoint]
    private var company: [(index: Int, worker: WorkerProcess)] = []
    private(set) var killCount = 0
    /// How many workers killed themselves at each step.
    private(set) var steps: [KillStep: Int] = [:]

    /// The longest wait before a kill at any moment, in milliseconds, and the longest wait for a
    /// worker that kills itself at a step.
    private static let pauseLimit = 400
    private static let stepPatience: Duration = .seconds(8)

    init(_ files: TestStore, seed: Int) throws {
        self.files = files
        random = TestRandom(seed: seed)
        scores = try Scoreboard(files.scoresPath)
        points = Self.points.shuffled(using: &random)
    }

    /// Each moment of each step that key changes surely reach while others have the store open.
    private static let points = [
        KillStep.writeFirstKeyring, .writeSecondKeyring, .writeFirstMeta, .writeSecondMeta,
        .writePage, .erase, .flush, .lead, .lockWriter, .unlockWriter, .lockFlush, .unlockFlush,
        .lockSecret, .lockReencrypting, .lockSlot, .openData, .lockPresence,
    ].flatMap { step in step.moments.map { (step, $0) } }.map { KillPoint($0, $1) }

    /// Makes and fills the store, and begins the ledger.
    mutating func begin(isAlone: Bool) throws {
        try files.createTorture()
        try KeyLedger().write(to: files.ledgerPath)
        for index in isAlone ? [0] : Self.company {
            // One writer and one reader keep the store open; the others close and reopen it.
            let worker = try files.torturer(index, seed: index + 1, isSteady: index % 2 == 1)
            company.append((index, worker))
        }
        // Wait for many commits, so that some are bound to be large.
        try scores.awaitProgress(of: company.map(\.index), operations: 80)
        if isAlone { try dismiss() }
    }

    mutating func goOn(untilKills limit: Int) throws {
        while killCount < limit {
            let point = random.below(5) > 0 ? nextPoint() : nil
            try kill(at: point, isReencrypting: point?.step == .erase)
        }
    }

    /// Starts a worker, waits until it is killed at a step or at any moment, and checks what must
    /// hold.
    mutating func kill(at point: KillPoint?, isReencrypting: Bool) throws {
        let worker = try files.locksmith(
            seed: random.below(1 << 30), point, isReencrypting: isReencrypting)
        let end = try awaitEnd(of: worker, point)
        try files.expectKilled(end)
        killCount += 1
        try expectWays()
        try expectCompany()
    }

    /// Lets a worker finish what another had begun, and some verbs of its own.
    mutating func finishVerbs() throws {
        let goal = try finishedCount() + 4
        let worker = try files.locksmith(
            seed: random.below(1 << 30), nil, isReencrypting: false)
        let deadline = ContinuousClock.now + TestMode.patience
        while try finishedCount() < goal {
            if let end = worker.child.ended() { try files.expectKilled(end) }
            guard ContinuousClock.now < deadline else { throw WorkerHangs() }
            Thread.sleep(forTimeInterval: 0.01)
        }
        worker.child.closeInput()
        try files.expectKilled(
            try worker.child.wait(patience: TestMode.patience), orDone: true)
        try expectWays()
    }

    private func finishedCount() throws -> Int {
        try KeyLedger(readingFrom: files.ledgerPath).finished.values.reduce(0, +)
    }

    private mutating func nextPoint() -> KillPoint {
        if points.isEmpty { points = Self.points.shuffled(using: &random) }
        let point = points.removeLast()
        let limit = random.isOne(in: 3) ? 20 : 4
        return KillPoint(point.step, point.moment, occurrence: 1 + random.below(limit))
    }

    private mutating func awaitEnd(
        of worker: WorkerProcess, _ point: KillPoint?
    ) throws -> WorkerEnd {
        let pause = Duration.milliseconds(random.below(Self.pauseLimit))
        let deadline = ContinuousClock.now + (point == nil ? pause : Self.stepPatience)
        while ContinuousClock.now < deadline {
            if let end = worker.child.ended() {
                if let point { steps[point.step, default: 0] += 1 }
                return end
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
        worker.child.signal(ChildProcess.kill)
        return try worker.child.wait(patience: TestMode.patience)
    }

    // MARK: What must hold

    /// Expects that the right ways open the store, and that wrong ones do not.
    ///
    /// Every certain way must open it. If a replacement was interrupted, the old way or the new way
    /// must open it. A way that was shut, or a key that the store never had, must not open it.
    private mutating func expectWays() throws {
        let ledger = try KeyLedger(readingFrom: files.ledgerPath)
        for way in ledger.certain { #expect(try opens(way), "\(way) was shut: \(ledger)") }
        let open = try ledger.doubtful.filter { try opens($0) }
        #expect(!ledger.isOneNeeded || !open.isEmpty, "neither way opens: \(ledger)")
        for way in ledger.shut { #expect(try !opens(way), "\(way) opens again: \(ledger)") }
        let stranger = KeyWay(number: 16 << 20 + killCount)
        #expect(try !opens(stranger), "a key that never was one opens")
    }

    private mutating func opens(_ way: KeyWay) throws -> Bool {
        try Store.verifyKey(try keys.key(of: way), at: files.path)
    }

    private func expectCompany() throws {
        for (index, worker) in company {
            guard let end = worker.child.ended() else { continue }
            try files.expectKilled(end)
            Issue.record("worker \(index) was killed by nobody")
            throw WorkerFailed()
        }
    }

    /// Lets the others make more progress, stops them, and checks what must hold.
    mutating func stop() throws {
        try scores.awaitProgress(of: company.map(\.index))
        try dismiss()
        try expectWays()
        try files.expectSurvived(scores)
    }

    private mutating func dismiss() throws {
        for (_, worker) in company { worker.child.closeInput() }
        for (_, worker) in company {
            #expect(try worker.child.wait(patience: TestMode.patience) == .done)
        }
        company = []
    }

    var acknowledged: UInt64 { Self.company.reduce(0) { $0 + scores[$1].acknowledged } }
}

extension TestStore {
    var ledgerPath: String { scratch.path("ledger") }

    /// Starts a worker that changes keys until it is killed.
    func locksmith(
        seed: Int, _ point: KillPoint?, isReencrypting: Bool
    ) throws -> WorkerProcess {
        var values = ["ledger=\(ledgerPath)", "cache=2", "seed=\(seed)"]
        if let point { values.append("kill=\(point)") }
        if isReencrypting { values.append("reencrypt=1") }
        return try worker("locksmith", values)
    }
}
