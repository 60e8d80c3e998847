/// A thread that has a lane, and does what its mailbox says.
///
/// It lives as long as the worker, so that what the store keeps for each thread is made once and
/// not in every slice.
final class LaneThread {
    enum Order: Sendable {
        /// Move to this place.
        case move(ThreadPlacement)
        /// Use this engine from now on; nil: let go of the one it had.
        case use((any Engine)?)
        case warm
        case arm(SliceOrder)
        case go
        case digest
        case end
    }

    private let lane: any Lane
    private let rate: Double?
    /// The thread's place among all of the run, those of other shards included.
    private let number: Int
    private let barrier: StartBarrier
    private var session: (any EngineSession)?
    private var tally = Tally(capacity: 0)

    private init(
        _ plan: WorkloadPlan, _ records: MappedRecords, _ barrier: StartBarrier
    ) throws {
        lane = try plan.lane(records)
        rate = plan.rate
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
        case .go: return .ran(try run(on: open()))
        case .digest: return .holds(try StoreDigest.of(open()))
        case .end: break
        }
        return .done
    }

    private func open() throws -> any EngineSession {
        guard let session else { throw BenchError(.worker, "the store is not open") }
        return session
    }

    private func run(on session: any EngineSession) throws -> SliceResult {
        _ = try barrier.arrive()
        tally.mark()
        let latency: Latency
        if let rate {
            latency = try runOpen(session, interval: 1e9 / rate)
        } else {
            try lane.run(0..<lane.stepCount, on: session, &tally)
            latency = counted(tally.latencies)
        }
        return SliceResult(
            start: tally.start, end: tally.end, work: lane.work, latency: latency,
            change: try lane.settle(tally))
    }

    /// Open loop: each step has its time, whether the one before has ended or not.
    ///
    /// A step that begins late because another was slow is charged with its waiting: what a client
    /// would have seen who comes when he comes, and not when the store is ready for him.
    private func runOpen(
        _ session: any EngineSession, interval: Double
    ) throws -> Latency {
        let start = tally.start
        let due = { (step: Int) in start + UInt64(Double(step) * interval) }
        for step in 0..<lane.stepCount {
            Clock.sleep(until: due(step))
            try lane.run(step..<step + 1, on: session, &tally)
        }
        return counted(tally.delays(due))
    }

    private func counted(_ times: some Sequence<UInt64>) -> Latency {
        var latency = Latency()
        for (index, nanoseconds) in times.enumerated() where lane.isTold(index) {
            latency.record(nanoseconds)
        }
        return latency
    }
}
