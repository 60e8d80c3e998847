import Bulla
import BullaSimulation
import BullaTestSupport

/// Crashes the disk of a log wherever it can, and opens what is left.
struct LogExplorer {
    private var random: TestRandom
    private(set) var imageCount = 0

    init(seed: UInt64) { random = TestRandom(seed: seed) }

    /// Crashes a session at several moments, and crashes some of the results again.
    mutating func explore(_ session: LogSession, cutLimit: Int, depth: Int) throws {
        let history = session.disk.history
        let first = session.disk.base.cached.count
        var replay = DiskReplay(from: session.disk.base)
        var cutsLeft = cutLimit
        for cut in first...history.count {
            if cut > first { replay.apply(history[cut - 1]) }
            guard cut >= session.timeline[0].eventCount,
                random.below(history.count + 1 - cut) < cutsLeft
            else { continue }
            cutsLeft -= 1
            let choices: [CrashChoice] = [
                .processDeath, .everything, .nothing, .sample(random.next()),
                .sample(random.next()),
            ]
            for choice in choices {
                try Finding.within("cut \(cut) of \(history.count), \(choice)") {
                    try visit(session, replay.crashed(choice), session.promised(at: cut), depth)
                }
            }
        }
    }

    private mutating func visit(
        _ former: LogSession, _ image: DiskImage, _ promised: UInt64, _ depth: Int
    ) throws {
        imageCount += 1
        let session = try LogSession(
            former.scene, try SimulatedDisk(image), seed: random.next(), known: former.written)
        try demand(
            session.end.commit >= promised,
            "commit \(promised) was durable, the log ends at \(session.end.commit)")
        guard depth > 0, random.isOne(in: 4) else { return }
        try Finding.within(session.trace.suffix(8).joined(separator: ", ")) {
            try session.work(steps: 4)
            try explore(session, cutLimit: 4, depth: depth - 1)
        }
    }

    /// Runs one seed, beginning with an empty log.
    static func run(
        seed: UInt64, steps: Int, cutLimit: Int, depth: Int
    ) throws -> (images: Int, end: LogPosition) {
        let kinds = StoreKind.allCases
        let scene = try LogScene(kinds[Int(seed) % kinds.count])
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        let session = try LogSession(scene, disk, seed: seed)
        var explorer = LogExplorer(seed: seed)
        do {
            try session.work(steps: steps)
            try explorer.explore(session, cutLimit: cutLimit, depth: depth)
        } catch {
            var finding = error as? Finding ?? Finding("\(error)")
            finding.trace = session.trace
            throw finding
        }
        return (explorer.imageCount, session.end)
    }
}
