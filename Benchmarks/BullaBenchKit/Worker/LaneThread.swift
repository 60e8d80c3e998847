internal import Bulla

/// A thread that has a lane, and does what its mailbox says.
///
/// It lives as long as the worker, so that what the store keeps for each thread is made once and
/// not in every slice.
struct LaneThread: Sendable {
    enum Order: Sendable {
        case warm
        case arm(SliceOrder)
        case go(at: UInt64)
        case digest
        case end
    }

    private let plan: WorkloadPlan
    private let store: Store
    private let records: MappedRecords
    private let orders: Mailbox<Order>
    private let replies: Mailbox<WorkerReply>

    /// Starts the thread.
    ///
    /// - Returns: where to put its orders; each gets one reply, but the last.
    static func start(
        _ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords,
        replies: Mailbox<WorkerReply>
    ) throws -> Mailbox<Order> {
        let orders = Mailbox<Order>()
        let thread = LaneThread(
            plan: plan, store: store, records: records, orders: orders, replies: replies)
        try Thread.start { thread.work() }
        return orders
    }

    private func work() {
        let lane = Lanes.lane(plan, store, records)
        var stamps = Stamps(capacity: 0)
        while true {
            let order = orders.take()
            if case .end = order { break }
            replies.put(WorkerReply.of { try answer(order, lane, &stamps) })
        }
        replies.put(.done)
    }

    private func answer(
        _ order: Order, _ lane: any Lane, _ stamps: inout Stamps
    ) throws -> WorkerReply {
        switch order {
        case .warm: try StoreDigest.warm(store)
        case .arm(let slice):
            lane.prepare(slice: slice.slice, operations: slice.operations)
            stamps = Stamps(capacity: slice.operations)
        case .go(let instant): return .ran(try run(lane, at: instant, &stamps))
        case .digest: return .holds(try StoreDigest.of(store))
        case .end: break
        }
        return .done
    }

    private func run(
        _ lane: any Lane, at instant: UInt64, _ stamps: inout Stamps
    ) throws -> SliceResult {
        Clock.sleep(until: instant)
        stamps.mark()
        try lane.run(&stamps)
        var latency = Latency()
        for (index, nanoseconds) in stamps.latencies.enumerated() where lane.isTold(index) {
            latency.record(nanoseconds)
        }
        return SliceResult(
            start: stamps.start, end: stamps.end, work: lane.work, latency: latency,
            change: try lane.settle())
    }
}
