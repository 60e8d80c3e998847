/// A worker's open store and its threads.
final class WorkerSession {
    private let setup: EngineSetup
    private let open: Worker.Open
    private let lanes: [Mailbox<LaneThread.Order>]
    private let replies = Mailbox<WorkerReply>()
    private var engine: (any Engine)?
    /// Where the threads really are.
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
        case .release: return try release()
        case .reopen: return try reopen()
        case .arm(let slice): return ask(lanes[...], .arm(slice))
        case .go: return try run()
        case .digest: return ask(lanes.prefix(1), .digest)
        case .close: return try close()
        }
    }

    /// Runs a slice in all lanes, and counts what it used.
    private func run() throws -> WorkerReply {
        let engine = try opened()
        let counters = try engine.counters
        let use = ResourceUse.now()
        let reply = ask(lanes[...], .go)
        guard case .ran(var result) = reply else { return reply }
        result.costs = Costs(ResourceUse.now().since(use), try engine.counters.since(counters))
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
