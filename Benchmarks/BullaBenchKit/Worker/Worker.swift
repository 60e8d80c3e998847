internal import BullaText
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// The process that measures: it obeys the commands on its input.
///
/// `bulla-bench worker` is such a process, and so is each program that adapts another engine.
///
/// The main thread only reads commands. So it notices at once when the parent process has ended,
/// and then ends the worker, whatever the other threads are doing: no orphan goes on measuring.
public final class Worker: Sendable {
    /// Opens the store that a setup names, or makes it if there is none yet.
    public typealias Open = @Sendable (EngineSetup) throws -> any Engine

    private let open: Open

    /// A worker whose stores are opened by `open`.
    public init(_ open: @escaping Open) { self.open = open }

    /// Obeys commands until one tells the worker to close; does not return.
    public func run() -> Never {
        let reader = LineReader(Descriptor.standardInput)
        do {
            let service = Station { [open] in WorkerService(open) }
            while let line = try reader.next() {
                let command = try WorkerLine.message(WorkerCommand.self, from: line)
                _ = service.ask { service in
                    Self.send(WorkerReply.of { try service.answer(command) }, to: command)
                }
            }
        } catch {
            Self.send(.failed(exit: BenchExit.worker.rawValue, message: "\(error)"), to: .close)
        }
        exit(BenchExit.orphaned.rawValue)
    }

    /// Sends a reply; exits if that fails, the reply reports an error, or the command is to close.
    private static func send(_ reply: WorkerReply, to command: WorkerCommand) {
        guard let line = try? WorkerLine.bytes(reply),
            (try? Descriptor.standardOutput.write(line)) != nil
        else { exit(BenchExit.orphaned.rawValue) }
        if case .failed(let status, _) = reply { exit(status) }
        if case .close = command { exit(BenchExit.met.rawValue) }
    }
}

private final class WorkerService {
    private let open: Worker.Open
    private var session: WorkerSession?
    private var filledStore: LogStore?

    init(_ open: @escaping Worker.Open) { self.open = open }

    func answer(_ command: WorkerCommand) throws -> WorkerReply {
        switch (command, session) {
        case (.commit(let setup), _): return .committed(try CommitterRun(setup).counts())
        case (.fill(let fill), _):
            let (store, batchCount) = try fill.filled()
            filledStore = store
            return .filled(batchCount)
        case (.open(let setup), nil):
            let opened = try WorkerSession(setup, open)
            session = opened
            return .opened(try opened.facts(), opened.places)
        case (_, let session?): return try session.answer(command)
        case (_, nil): throw BenchError(.worker, "the store is not open")
        }
    }
}

final class WorkerSession {
    private let setup: EngineSetup
    private let open: Worker.Open
    private let threads: [Station<LaneWork>]
    let places: [ObtainedPlacement]
    private var engine: (any Engine)?
    private var isCounted = false
    private var sum = SliceSum()

    init(_ setup: WorkerSetup, _ open: @escaping Worker.Open) throws {
        (self.setup, self.open) = (setup.engine, open)
        let records = try MappedRecords(path: setup.recordsPath)
        let barrier = try StartBarrier(opening: setup.barrierPath)
        let free = setup.plans.map { _ in ThreadPlacement(cores: []) }
        threads = zip(setup.plans, setup.places.isEmpty ? free : setup.places).map { plan, place in
            Station { try LaneWork(plan, records, barrier, at: place) }
        }
        self.places = try threads.each { $0.place }
        try reopen()
    }

    func facts() throws -> EngineFacts { try opened().facts }

    func answer(_ command: WorkerCommand) throws -> WorkerReply {
        switch command {
        case .open, .commit, .fill: throw BenchError(.worker, "the store is open already")
        case .warm: try threads[..<1].each { try StoreDigest.warm($0.opened()) }
        case .release: try close()
        case .reopen: try reopen()
        case .arm(let slice):
            isCounted = slice.isCounted
            try threads.each { $0.arm(slice) }
        case .go: return .ran(try run())
        case .rest: try finish { try $0.rest() }
        case .drain: try finish { try $0.drain() }
        case .close:
            for latency in try threads.each({ $0.latency }) { sum.latency.merge(latency) }
            sum.costs.sharedByteCount = UInt64(ResourceUse.sharedByteCount(.linux) ?? 0)
            try close()
            return .closed(sum)
        case .digest: return .holds(try threads[..<1].each { try StoreDigest.of($0.opened()) }[0])
        }
        return .done
    }

    /// Makes the engine finish deferred work, and adds the time and the written bytes to `sum`.
    private func finish(_ body: (any Engine) throws -> Void) throws {
        let engine = try opened()
        let (counters, start) = (try engine.counters, Clock.now)
        try body(engine)
        guard isCounted else { return }
        sum.afterNanoseconds += Double(Clock.now - start)
        sum.costs.byteCountWritten = Costs.joined(
            sum.costs.byteCountWritten, try engine.counters.since(counters).byteCountWritten, &+)
    }

    private func run() throws -> SliceResult {
        let engine = try opened()
        let counters = try engine.counters
        let use = ResourceUse.now()
        try threads.each { try $0.run() }
        let (processorEnd, used) = (Clock.processorTime, ResourceUse.now().since(use))
        var result = SliceResult(merging: try threads.each { try $0.result() })
        // Leaves out the processor time of threads that spun at the barrier before the slice.
        result.cpuSeconds = Double(processorEnd - result.processorStart) / 1e9
        if isCounted { sum.costs.add(Costs(used, try engine.counters.since(counters))) }
        return result
    }

    private func opened() throws -> any Engine {
        guard let engine else { throw BenchError(.worker, "the store is not open") }
        return engine
    }

    /// Opens the store on the first thread, so that the store's memory is near that thread.
    private func reopen() throws {
        let engine = try threads[..<1].each { [open, setup] _ in try open(setup) }[0]
        self.engine = engine
        try threads.each { $0.session = try engine.session() }
    }

    private func close() throws {
        try threads.each { $0.session = nil }
        if let engine { try threads[..<1].each { _ in try engine.close() } }
        engine = nil
    }
}

/// A thread's part of a worker: it runs one lane, slice by slice.
final class LaneWork {
    let place: ObtainedPlacement
    /// The thread's session while the store is open.
    var session: (any EngineSession)?

    private let lane: any Lane
    /// Nanoseconds from one step to the next in an open loop; nil in a closed loop.
    private let interval: Double?
    private let slowdown: Double
    /// The thread's number among all threads of the run, including those of other shards.
    private let number: Int
    private let barrier: StartBarrier
    private var tally = Tally(capacity: 0)
    private var isCounted = false
    /// The latencies of all slices that count towards the worker's sum.
    private(set) var latency = Latency()
    /// The processor time that the process had used when the slice began.
    private var processorStart: UInt64 = 0
    private var end: UInt64 = 0

    /// Moves the calling thread to its place.
    init(
        _ plan: WorkloadPlan, _ records: MappedRecords, _ barrier: StartBarrier,
        at place: ThreadPlacement
    ) throws {
        self.place = try place.apply()
        lane = try plan.lane(records)
        interval = plan.rate.map { 1e9 / $0 }
        (slowdown, number, self.barrier) = (plan.slowdown, plan.number, barrier)
    }

    func opened() throws -> any EngineSession {
        guard let session else { throw BenchError(.worker, "the store is not open") }
        return session
    }

    func arm(_ slice: SliceOrder) {
        let further = number < slice.further ? 1 : 0
        isCounted = slice.isCounted
        lane.prepare(slice: slice.slice, operations: slice.operations + further)
        tally = Tally(capacity: lane.stepCount)
    }

    func run() throws {
        let session = try opened()
        _ = try barrier.arrive()
        processorStart = Clock.processorTime
        tally.mark()
        try runSteps(session)
        end = tally.end
        guard slowdown > 0 else { return }
        Clock.spin(until: Clock.now + UInt64(Double(end - tally.start) * slowdown))
        end = Clock.now
    }

    private func runSteps(_ session: any EngineSession) throws {
        guard let interval else {
            return try lane.run(0..<lane.stepCount, on: session, &tally)
        }
        for step in 0..<lane.stepCount {
            Clock.sleep(until: due(step, interval))
            try lane.run(step..<step + 1, on: session, &tally)
        }
    }

    /// The slice's result; it is computed after all threads have run, outside the measured time.
    func result() throws -> SliceResult {
        if isCounted { countLatencies() }
        return SliceResult(
            start: tally.start, end: end, processorStart: processorStart, work: lane.work,
            change: try lane.settle(tally))
    }

    /// Counts the latencies, which in an open loop begin at the instant at which each step was due.
    ///
    /// If a step begins late because another was slow, its latency includes the wait, as for a
    /// client that sends its requests without waiting for earlier ones.
    private func countLatencies() {
        guard let interval else { return count(tally.latencies) }
        count(tally.delays { self.due($0, interval) })
    }

    private func due(_ step: Int, _ interval: Double) -> UInt64 {
        tally.start + UInt64(Double(step) * interval)
    }

    private func count(_ times: some Sequence<UInt64>) {
        for (index, nanoseconds) in times.enumerated() where lane.isTold(index) {
            latency.record(nanoseconds)
        }
    }
}

/// A thread that has a value of its own, and executes requests on that value in order.
///
/// It lives as long as the process, so that a store sets up its state for the thread only once.
final class Station<Own>: Sendable {
    typealias Task = @Sendable (Result<Own, any Error>) -> Void

    private let tasks = Mailbox<Task>()

    /// - Parameter make: makes the value on the new thread; if it throws, requests get its error.
    init(_ make: @escaping @Sendable () throws -> Own) {
        Thread.detachNewThread { [tasks] in
            let own = Result { try make() }
            while true { tasks.take()(own) }
        }
    }

    func ask<Reply: Sendable>(
        _ body: @escaping @Sendable (Own) throws -> Reply
    ) -> Mailbox<Result<Reply, any Error>> {
        let replies = Mailbox<Result<Reply, any Error>>()
        tasks.put { own in replies.put(Result { try body(own.get()) }) }
        return replies
    }
}

extension Collection {
    /// Sends the same request to all threads, and returns the answers in the order of the threads.
    @discardableResult
    func each<Own, Reply: Sendable>(
        _ body: @escaping @Sendable (Own) throws -> Reply
    ) throws -> [Reply] where Element == Station<Own> {
        try map { $0.ask(body) }.map { $0.take() }.map { try $0.get() }
    }
}

/// Hands values from one thread to another, in order; the receiver waits if there is none.
final class Mailbox<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let available = DispatchSemaphore(value: 0)

    func put(_ value: Value) {
        values.withLock { $0.append(value) }
        available.signal()
    }

    func take() -> Value {
        available.wait()
        return values.withLock { $0.removeFirst() }
    }
}

enum StoreDigest {
    /// The digest of all records, with a check that they come in ascending order.
    static func of(_ session: any EngineSession) throws -> Digest {
        var digest = Digest()
        var last: [UInt8] = []
        var isAscending = true
        try session.visitAll { key, value in
            digest.add(RecordHash.hash(key, value))
            let key = [UInt8](key)
            isAscending = isAscending && (last.isEmpty || last.lexicographicallyPrecedes(key))
            last = key
        }
        guard isAscending else { throw BenchError(.digest, "a scan gave keys out of order") }
        return digest
    }

    /// Reads every record once, so that the following measurement finds all of them cached.
    static func warm(_ session: any EngineSession) throws {
        var tally = Tally(capacity: 0)
        try session.scan(ByteRun(), from: nil, limit: .max, &tally)
    }
}
