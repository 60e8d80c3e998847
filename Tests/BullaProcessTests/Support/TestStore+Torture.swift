import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

extension TestStore {
    /// The scoreboard of the workers of a torture test.
    var scoresPath: String { scratch.path("scores") }

    /// - Parameter hasShortLog: whether the store's log is short, and can grow.
    func createTorture(hasShortLog: Bool = false) throws {
        let store = try open { options in
            guard hasShortLog else { return }
            options.logHalfByteCount = 64 << 10
            options.logHalfByteLimit = 512 << 10
        }
        try TortureLayout.create(in: store)
        try store.close()
    }

    /// Starts a worker that writes or reads until it is killed or its input ends.
    ///
    /// The workers with the lowest indexes write, and the others read.
    func torturer(
        _ index: Int, seed: Int, _ point: KillPoint? = nil, isScribbled: Bool = false,
        isSteady: Bool = false, launcher: [String] = []
    ) throws -> WorkerProcess {
        var values = ["worker=\(index)", "scores=\(scoresPath)", "cache=2", "seed=\(seed)"]
        if let point { values.append("kill=\(point)") }
        if isSteady { values.append("steady=1") }
        if isScribbled { values.append("scribbled=1") }
        return try worker("torture", values, launcher: launcher)
    }

    /// Expects that a worker was killed, by itself or by its test.
    func expectKilled(_ end: WorkerEnd, orDone isDoneToo: Bool = false) throws {
        if end == .killed(ChildProcess.kill) || isDoneToo && end == .done { return }
        let errors = try String(decoding: scratch.bytes("errors"), as: UTF8.self)
        Issue.record("a worker ended as \(end): \(errors)")
        throw WorkerFailed()
    }

    /// Expects that everything that was acknowledged is there, and that no dead process holds
    /// anything.
    func expectSurvived(
        _ scores: Scoreboard, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        // No lock may be left, so neither opening nor writing waits for long.
        let store = try open { $0.lockTimeout = .seconds(1) }
        try store.read { snapshot in
            for (writer, counter) in try snapshot.tortureCounters().enumerated() {
                let line = scores[writer]
                #expect(
                    counter >= line.acknowledged && counter <= line.attempted,
                    "writer \(writer): \(counter), \(line)", sourceLocation: sourceLocation)
            }
            try snapshot.checkTortureBallast()
        }
        try store.write {
            try $0.put("of it", forKey: "end", in: try $0.tree(named: TortureLayout.checks))
        }
        try expectSound(store, sourceLocation: sourceLocation)
        try expectBounded(store, times: 8, sourceLocation: sourceLocation)
        try store.close()
    }
}

/// A worker ended by itself, and what it reported has been recorded.
struct WorkerFailed: Error {}

extension Scoreboard {
    /// Waits until all of these have made progress.
    func awaitProgress(of workers: [Int], operations: UInt64 = 20) throws {
        let goals = workers.map { ($0, self[$0].operations + operations) }
        let deadline = ContinuousClock.now + TestMode.patience
        while goals.contains(where: { self[$0.0].operations < $0.1 }) {
            guard ContinuousClock.now < deadline else { throw WorkerHangs() }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }
}
