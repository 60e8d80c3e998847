internal import Bulla

/// A worker's open store and its threads.
struct WorkerSession {
    private let store: Store
    private let lanes: [Mailbox<LaneThread.Order>]
    private let replies = Mailbox<WorkerReply>()

    init(_ setup: WorkerSetup) throws {
        let store = try setup.store.open()
        let records = try MappedRecords(path: setup.recordsPath)
        let replies = replies
        lanes = try setup.plans.map {
            try LaneThread.start($0, store, records, replies: replies)
        }
        self.store = store
    }

    func facts() throws -> StoreFacts {
        let info = try store.info
        return StoreFacts(
            pageByteCount: info.pageByteCount, suite: info.suite,
            liveByteCount: Int(info.livePageCount) * info.pageByteCount)
    }

    func answer(_ command: WorkerCommand) throws -> WorkerReply {
        switch command {
        case .open: throw BenchError(.worker, "the store is open already")
        case .warm: return ask(lanes.prefix(1), .warm)
        case .arm(let slice): return ask(lanes[...], .arm(slice))
        case .go(let instant): return ask(lanes[...], .go(at: instant))
        case .digest: return ask(lanes.prefix(1), .digest)
        case .close: return try close()
        }
    }

    private func ask(
        _ lanes: ArraySlice<Mailbox<LaneThread.Order>>, _ order: LaneThread.Order
    ) -> WorkerReply {
        for lane in lanes { lane.put(order) }
        return .together(lanes.map { _ in replies.take() })
    }

    private func close() throws -> WorkerReply {
        let reply = ask(lanes[...], .end)
        try store.close()
        return reply
    }
}
