import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// Two writers run in processes of their own, while this process follows the log.
@Suite(.serialized) struct `A log whose writers are killed` {
    private static let steps: [KillStep] = [
        .openData, .openWorld, .mapWorld, .lockWriter, .append, .unlockWriter, .lockFlush, .lead,
        .writeFirstMark, .writeSecondMark, .unlockFlush,
    ]
    private static let cases = steps.flatMap { step in
        step.moments.flatMap { moment in
            [1, 7].filter { $0 == 1 || !openings.contains(step) }.map {
                KillPoint(step, moment, occurrence: $0)
            }
        }
    }
    /// Steps that a process reaches only once.
    private static let openings: Set<KillStep> = [.openData, .openWorld, .mapWorld]

    private let scratch: Scratch
    private let site: LogSite
    private let kind: StoreKind
    private let ledger = LogLedger()
    private let log: SharedLog

    init() throws {
        scratch = try Scratch()
        kind = .gcm
        site = try LogSite(scratch.path("log"), kind, halfPageCount: LogLayout.halfPageCount)
        try site.make(SystemStorage())
        log = try SharedLog.begin(site.parts(SystemStorage()), site, ledger)
    }

    private func worker(
        _ number: Int, count: Int, _ point: KillPoint? = nil
    ) throws -> WorkerProcess {
        let kill = point.map { ["kill=\($0)"] } ?? []
        return try WorkerProcess(
            [
                "log", "path=\(site.path)", "kind=\(kind.rawValue)", "worker=\(number)",
                "count=\(count)",
            ] + kill, key: nil, errors: scratch.path("errors"))
    }

    /// Follows once more, and expects that all known commits are still there, without a gap.
    private func follow(_ known: inout [UInt64: [UInt8]]) throws {
        let newest = try log.follow()
        let values = ledger.values
        #expect(known.allSatisfy { values[$0.key] == $0.value })
        #expect(values.isEmpty || Set(values.keys) == Set(2...newest))
        known = values
    }

    /// Reads a worker's output to its end, and follows the log meanwhile.
    private func acknowledged(
        _ worker: WorkerProcess, _ known: inout [UInt64: [UInt8]]
    ) throws -> [UInt64] {
        var commits: [UInt64] = []
        while let line = try worker.line() {
            guard line != "ready" else { continue }
            commits.append(try WorkerProcess.parse(line).value)
            try follow(&known)
        }
        return commits
    }

    @Test(arguments: cases)
    func `loses nothing that was acknowledged, and shows a prefix`(point: KillPoint) throws {
        var known: [UInt64: [UInt8]] = [:]
        var promised: [(worker: UInt8, commit: UInt64)] = []
        func take(_ number: Int, _ worker: WorkerProcess, _ end: WorkerEnd) throws {
            let commits = try acknowledged(worker, &known)
            promised += commits.map { (UInt8(number), $0) }
            #expect(try worker.child.wait(patience: TestMode.patience) == end)
        }
        let other = try worker(1, count: 60)
        try take(2, worker(2, count: 400, point), .killed(ChildProcess.kill))
        try take(3, worker(3, count: 10), .done)
        try take(1, other, .done)
        try follow(&known)
        for (worker, commit) in promised { #expect(known[commit]?.first == worker) }
        #expect(known.values.count { $0[0] == 1 } == 60)
        #expect(known.values.count { $0[0] == 3 } == 10)
        // Recovery must find what all these processes have left.
        let found = LogLedger()
        _ = try SharedLog.begin(site.parts(SystemStorage()), site, found)
        #expect(found.values == known)
    }
}
