/// A worker's open store and its threads.
final class WorkerSession {
    private let setup: EngineSetup
    private let open: Worker.Open
    private let lanes: [Mailbox<LaneThread.Order>]
    private let replies = Mailbox<WorkerReply>()
    private var engine: (any Engine)?

    init(_ setup: WorkerSetup, _ open: @escaping Worker.Open) throws {
        self.setup = setup.engine
        self.open = open
        let records = try MappedRecords(path: setup.recordsPath)
        let replies = replies
        lanes = try setup.plans.map { try LaneThread.start($0, records, replies: replies) }
        try reopen()
    }

    func facts() throws -> EngineFacts { try opened().facts }

    func answer(_ command: WorkerCommand) throws -> WorkerReply {
        switch command {
        case .open: throw BenchError(.worker, "the store is open already")
        case .warm: return ask(lanes.prefix(1), .warm)
        case .release: return try release()
        case .reopen: return try reopen()
        case .arm(let slice): return ask(lanes[...], .arm(slice))
        case .go(let instant): return try run(at: instant)
        case .digest: return ask(lanes.prefix(1), .digest)
        case .close: return try close()
        }
    }

    /// Runs a slice in all lanes, and counts what it used.
    private func run(at instant: UInt64) throws -> WorkerReply {
        let engine = try opened()
        let counters = try engine.counters
        let cpuSeconds = CPUTime.ownSeconds
        let reply = ask(lanes[...], .go(at: instant))
        guard case .ran(var result) = reply else { return reply }
        result.costs.cpuSeconds = CPUTime.ownSeconds - cpuSeconds
        result.costs.add(try engine.counters.since(counters))
        result.costs.addMemory(.now())
        return .ran(result)
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

    private func release() throws -> WorkerReply {
        let reply = ask(lanes[...], .use(nil))
        try engine?.close()
        engine = nil
        return reply
    }

    private func close() throws -> WorkerReply {
        let reply = ask(lanes[...], .end)
        try engine?.close()
        engine = nil
        return reply
    }
}
