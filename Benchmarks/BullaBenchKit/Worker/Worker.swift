internal import BullaText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The process that measures: it obeys the lines on its input.
///
/// `bulla-bench worker` is one, and so is each program that puts another engine beside Bulla.
///
/// The main thread does nothing but read, so that it sees at once when the parent is gone, and ends
/// the process then, whatever its threads are doing: no orphan goes on measuring.
public final class Worker: Sendable {
    /// Opens the store that a setup names, or makes it where there is none yet.
    public typealias Open = @Sendable (EngineSetup) throws -> any Engine

    private let commands = Mailbox<WorkerCommand>()
    private let open: Open

    /// A worker whose stores `open` opens.
    public init(_ open: @escaping Open) { self.open = open }

    /// Obeys until told to close, and does not return.
    public func run() -> Never {
        let reader = LineReader(Descriptor.standardInput)
        do {
            try Thread.start { [self] in serve() }
            while let line = try reader.next() {
                commands.put(try WorkerLine.message(WorkerCommand.self, from: line))
            }
        } catch {
            Self.fail(.failed(exit: BenchExit.worker.rawValue, message: "\(error)"))
        }
        exit(BenchExit.orphaned.rawValue)
    }

    private func serve() {
        var session: WorkerSession?
        while true {
            let command = commands.take()
            let reply = WorkerReply.of { try answer(command, &session) }
            if case .failed = reply { Self.fail(reply) }
            Self.send(reply)
            if case .close = command { exit(BenchExit.met.rawValue) }
        }
    }

    private func answer(
        _ command: WorkerCommand, _ session: inout WorkerSession?
    ) throws -> WorkerReply {
        if case .open(let setup) = command {
            let opened = try WorkerSession(setup, open)
            session = opened
            return .opened(try opened.facts(), opened.places)
        }
        guard let session else { throw BenchError(.worker, "the store is not open") }
        return try session.answer(command)
    }

    private static func send(_ reply: WorkerReply) {
        guard let line = try? WorkerLine.bytes(reply),
            (try? Descriptor.standardOutput.write(line)) != nil
        else { exit(BenchExit.orphaned.rawValue) }
    }

    private static func fail(_ reply: WorkerReply) -> Never {
        send(reply)
        guard case .failed(let status, _) = reply else { exit(BenchExit.worker.rawValue) }
        exit(status)
    }
}

final class WorkerSession {
    private let setup: EngineSetup
    private let open: Worker.Open
    private let lanes: [Mailbox<LaneThread.Order>]
    private let replies = Mailbox<WorkerReply>()
    private var engine: (any Engine)?
    private(set) var places: [ObtainedPlacement] = []

    init(_ setup: WorkerSetup, _ open: @escaping Worker.Open) throws {
        self.setup = setup.engine
        self.open = open
        let records = try MappedRecords(path: setup.recordsPath)
        let barrier = try StartBarrier(opening: setup.barrierPath)
        let replies = replies
        lanes = try setup.plans.map { try LaneThread.start($0, records, barrier, replies: replies) }
        try move(setup.places)
        try check(reopen())
    }

    func facts() throws -> EngineFacts { try opened().facts }

    func answer(_ command: WorkerCommand) throws -> WorkerReply {
        switch command {
        case .open: throw BenchError(.worker, "the store is open already")
        case .warm: return ask(lanes.prefix(1), .warm)
        case .release: return try shut(.use(nil))
        case .reopen: return try reopen()
        case .arm(let slice): return ask(lanes[...], .arm(slice))
        case .go: return try run()
        case .drain: return try drain()
        case .digest: return ask(lanes.prefix(1), .digest)
        case .close: return try shut(.end)
        }
    }

    private func drain() throws -> WorkerReply {
        let start = Clock.now
        try opened().drain()
        return .drained(nanoseconds: Clock.now - start)
    }

    private func run() throws -> WorkerReply {
        let engine = try opened()
        let counters = try engine.counters
        let use = ResourceUse.now()
        try check(ask(lanes[...], .go))
        let (processorEnd, used) = (Clock.processorTime, ResourceUse.now().since(use))
        let reply = ask(lanes[...], .tell)
        guard case .ran(var result) = reply else { return reply }
        result.costs = Costs(used, try engine.counters.since(counters))
        // From the start of the slice: before it, threads wait for it without sleeping.
        result.costs.cpuSeconds = Double(processorEnd - result.processorStart) / 1e9
        return .ran(result)
    }

    /// Each thread to its place; this one, which opens the store, to that of the first.
    private func move(_ places: [ThreadPlacement]) throws {
        guard let first = places.first else { return }
        _ = try first.apply()
        for (lane, place) in zip(lanes, places) { lane.put(.move(place)) }
        let reply = WorkerReply.together(places.map { _ in replies.take() })
        try check(reply)
        if case .moved(let obtained) = reply { self.places = obtained }
    }

    private func check(_ reply: WorkerReply) throws {
        guard case .failed(let status, let message) = reply else { return }
        throw BenchError(BenchExit(rawValue: status) ?? .worker, message)
    }

    private func ask(
        _ lanes: ArraySlice<Mailbox<LaneThread.Order>>, _ order: LaneThread.Order
    ) -> WorkerReply {
        for lane in lanes { lane.put(order) }
        return .together(lanes.map { _ in replies.take() })
    }

    private func opened() throws -> any Engine {
        guard let engine else { throw BenchError(.worker, "the store is not open") }
        return engine
    }

    @discardableResult
    private func reopen() throws -> WorkerReply {
        let engine = try open(setup)
        self.engine = engine
        return ask(lanes[...], .use(engine))
    }

    private func shut(_ order: LaneThread.Order) throws -> WorkerReply {
        let reply = ask(lanes[...], order)
        try engine?.close()
        engine = nil
        return reply
    }
}

/// A thread that has a lane, and does what its mailbox says.
///
/// It lives as long as the worker, so that the store makes what it keeps for a thread once.
final class LaneThread {
    enum Order: Sendable {
        case move(ThreadPlacement)
        /// Use this engine from now on; nil: let go of the one it had.
        case use((any Engine)?)
        case warm
        case arm(SliceOrder)
        case go
        case tell
        case digest
        case end
    }

    private let lane: any Lane
    /// In nanoseconds, from one step to the next of an open loop; nil in closed loop.
    private let interval: Double?
    private let slowdown: Double
    /// The thread's place among all of the run, those of other shards included.
    private let number: Int
    private let barrier: StartBarrier
    private var session: (any EngineSession)?
    private var tally = Tally(capacity: 0)
    /// The processor time that the process had used when the slice began.
    private var processorStart: UInt64 = 0
    private var end: UInt64 = 0

    private init(_ plan: WorkloadPlan, _ records: MappedRecords, _ barrier: StartBarrier) throws {
        lane = try plan.lane(records)
        interval = plan.rate.map { 1e9 / $0 }
        slowdown = plan.slowdown
        number = plan.number
        self.barrier = barrier
    }

    /// Starts the thread.
    ///
    /// - Returns: where to put its orders; each gets one reply, but the last.
    static func start(
        _ plan: WorkloadPlan, _ records: MappedRecords, _ barrier: StartBarrier,
        replies: Mailbox<WorkerReply>
    ) throws -> Mailbox<Order> {
        let orders = Mailbox<Order>()
        try Thread.start {
            do {
                try LaneThread(plan, records, barrier).work(orders, replies)
            } catch {
                while true {
                    if case .end = orders.take() { break }
                    replies.put(WorkerReply.of { throw error })
                }
            }
            replies.put(.done)
        }
        return orders
    }

    private func work(_ orders: Mailbox<Order>, _ replies: Mailbox<WorkerReply>) {
        while true {
            let order = orders.take()
            if case .end = order { return }
            replies.put(WorkerReply.of { try answer(order) })
        }
    }

    private func answer(_ order: Order) throws -> WorkerReply {
        switch order {
        case .move(let place): return .moved([try place.apply()])
        case .use(let engine): session = try engine?.session()
        case .warm: try StoreDigest.warm(open())
        case .arm(let slice):
            let further = number < slice.further ? 1 : 0
            lane.prepare(slice: slice.slice, operations: slice.operations + further)
            tally = Tally(capacity: lane.stepCount)
        case .go: try run(on: open())
        case .tell: return .ran(try result())
        case .digest: return .holds(try StoreDigest.of(open()))
        case .end: break
        }
        return .done
    }

    private func open() throws -> any EngineSession {
        guard let session else { throw BenchError(.worker, "the store is not open") }
        return session
    }

    private func run(on session: any EngineSession) throws {
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

    /// What the slice did; told when all threads have run theirs, so that it is nobody's cost.
    private func result() throws -> SliceResult {
        SliceResult(
            start: tally.start, end: end, processorStart: processorStart, work: lane.work,
            latency: latency, change: try lane.settle(tally))
    }

    /// In open loop each step has its time, whether the one before has ended or not.
    ///
    /// A step that begins late because another was slow is charged with its waiting: that is what a
    /// client sees that comes when it comes, and not when the store is ready for it.
    private var latency: Latency {
        guard let interval else { return counted(tally.latencies) }
        return counted(tally.delays { self.due($0, interval) })
    }

    private func due(_ step: Int, _ interval: Double) -> UInt64 {
        tally.start + UInt64(Double(step) * interval)
    }

    private func counted(_ times: some Sequence<UInt64>) -> Latency {
        var latency = Latency()
        for (index, nanoseconds) in times.enumerated() where lane.isTold(index) {
            latency.record(nanoseconds)
        }
        return latency
    }
}

/// Hands values from one thread to another, in order; who takes waits for one.
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
    /// The digest of all its records, and a check that they come in ascending order.
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

    /// Reads every record once, so that what is measured next finds all of them at hand.
    static func warm(_ session: any EngineSession) throws {
        var tally = Tally(capacity: 0)
        try session.scan(ByteRun(), from: nil, limit: .max, &tally)
    }
}
