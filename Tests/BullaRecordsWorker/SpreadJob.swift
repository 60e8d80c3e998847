#if PostgreSQL
import BullaRecords
import BullaTestSupport
import Foundation

/// Commits a number of known batches to each of several zones, in any order, and reports each batch
/// as soon as it knows that the batch is committed.
///
/// After a failure, the job does not know whether the batch is committed. It then goes on with any
/// of the zones; when it comes back to the batch's zone, it asks for the batch's outcome, or sends
/// the batch again.
///
/// Attempts begin at an even pace. So while a site is away, the attempts at that site are lost, and
/// the other sites get no more to do than before.
struct SpreadJob {
    private let backend: any RecordBackend
    private let writer: Int
    private let batchCount: Int
    /// The time between the beginnings of two attempts, in nanoseconds.
    private let interval: UInt64
    private var lanes: [Lane]
    private var random: TestRandom

    /// A zone, and the batch that is next there.
    private struct Lane {
        let zone: TrialZone
        let life: ZoneLife
        var number: UInt64 = 1
        var attemptCount: UInt64 = 0
    }

    init(_ command: TrialCommand) throws {
        let backend = try ServedTrial.backend(command)
        (writer, batchCount) = (try command.number("writer"), try command.number("batches"))
        interval = UInt64(clamping: try command.number("interval")) * 1_000_000
        lanes = try TrialZone.list(try command.text("zones")).map { zone in
            Lane(zone: zone, life: try zone.life(in: backend))
        }
        random = TestRandom(seed: 1_000 + writer)
        self.backend = backend
    }

    mutating func run() throws {
        let end = InputWatch()
        var start = BatchReport.now
        while true {
            let open = lanes.indices.filter { lanes[$0].number <= batchCount }
            guard !open.isEmpty else { return }
            guard !end.hasCome else {
                throw WorkerFailure(exit: .stuck, message: "the input has ended too early")
            }
            try advance(random.pick(open))
            start = Self.wait(until: start + interval)
        }
    }

    /// Waits until a time, and returns it; returns the present time if it is later.
    private static func wait(until time: UInt64) -> UInt64 {
        let now = BatchReport.now
        guard time > now else { return now }
        Thread.sleep(forTimeInterval: Double(time - now) / 1e9)
        return time
    }

    private mutating func advance(_ index: Int) throws {
        lanes[index].attemptCount += 1
        let lane = lanes[index]
        let batch = try TrialBatch.small(writer, lane.number, in: lane.life)
        do {
            let (first, call) = try settle(batch, lane)
            let report = BatchReport(
                lane.zone, writer: writer, lane.number, first: first,
                attemptCount: lane.attemptCount, call: call)
            Line.say(report.text)
            (lanes[index].number, lanes[index].attemptCount) = (lane.number + 1, 0)
        } catch let error as RecordError where error.code == .unavailable {
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    /// Commits a batch, or finds it committed; returns the version of its first change, and when
    /// the call of `commit` began and ended, if there was one.
    private mutating func settle(
        _ batch: BackendBatch, _ lane: Lane
    ) throws -> (first: UInt64, call: Range<UInt64>?) {
        if lane.attemptCount > 1, random.isOne(in: 2),
            let first = try backend.outcome(of: batch.identifier, in: lane.life)
        {
            return (first, nil)
        }
        let start = BatchReport.now
        let outcome = try backend.commit(batch)
        let end = BatchReport.now
        guard case .committed(let first) = outcome else {
            throw WorkerFailure.impossible("batch \(lane.number) was answered by \(outcome)")
        }
        return (first, start..<end)
    }
}
#endif
