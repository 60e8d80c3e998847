import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation

/// Writers and readers on one store, which are killed and replaced.
struct TortureCrew {
    private static let count = TortureLayout.writerCount + TortureLayout.readerCount

    let files: TestStore
    private var random: TestRandom
    private var workers: [Int: WorkerProcess] = [:]
    private(set) var killCount = 0
    /// How many workers killed themselves at a step.
    private(set) var armedKillCount = 0
    private var startCount = 0

    /// The last occurrence of its step at which a worker may kill itself.
    private static let occurrenceLimit = 30
    /// The longest pause between looks at the workers, in milliseconds.
    private static let pauseLimit = 40

    init(_ files: TestStore, seed: Int) {
        self.files = files
        random = TestRandom(seed: seed)
    }

    mutating func goOn(untilKills limit: Int) throws {
        while killCount < limit {
            if random.below(60) == 0 { try killAll() }
            try fill()
            try waitAndReap()
            if random.below(6) == 0 { try killOne() }
        }
    }

    /// Lets all workers stop.
    mutating func stop() throws {
        for worker in workers.values { worker.child.closeInput() }
        for worker in workers.values {
            let end = try worker.child.wait(patience: TestMode.patience)
            try files.expectKilled(end, orDone: true)
        }
        workers = [:]
    }

    private mutating func fill() throws {
        let isAlone = workers.isEmpty
        for index in 0..<Self.count where workers[index] == nil {
            startCount += 1
            // Usually let the worker kill itself at a step, because that tells more than a kill at
            // any moment.
            let point = random.below(4) > 0 ? point(isAlone: isAlone) : nil
            workers[index] = try files.torturer(index, seed: startCount, point)
        }
    }

    private mutating func point(isAlone: Bool) -> KillPoint {
        var steps = KillStep.ofWork
        if !isAlone { steps.removeAll { KillStep.lonely.contains($0) } }
        let step = steps[random.below(steps.count)]
        let isSoon = isAlone || random.below(3) > 0
        return KillPoint(
            step, random.pick(step.moments),
            occurrence: 1 + random.below(isSoon ? 3 : Self.occurrenceLimit))
    }

    private mutating func waitAndReap() throws {
        usleep(UInt32(random.below(Self.pauseLimit)) * 1000)
        for (index, worker) in workers {
            guard let end = worker.child.ended() else { continue }
            try files.expectKilled(end)
            workers[index] = nil
            killCount += 1
            armedKillCount += 1
        }
    }

    private mutating func killOne() throws {
        guard let (index, worker) = workers.randomElement(using: &random) else { return }
        worker.child.signal(ChildProcess.kill)
        try files.expectKilled(try worker.child.wait(patience: TestMode.patience))
        workers[index] = nil
        killCount += 1
    }

    private mutating func killAll() throws {
        for worker in workers.values { worker.child.signal(ChildProcess.kill) }
        for worker in workers.values {
            try files.expectKilled(try worker.child.wait(patience: TestMode.patience))
            killCount += 1
        }
        workers = [:]
    }
}
