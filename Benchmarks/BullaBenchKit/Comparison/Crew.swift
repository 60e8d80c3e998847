/// The workers of one contender, and the changes that they made to its store.
package final class Crew {
    private let name: String
    private let workers: [WorkerProcess]
    private let barrier: StartBarrier
    /// The workers' control group, kept while they live: only an empty group can be removed.
    private let group: MemoryGroup?
    private let writes: Bool
    private var nextSlice = 0
    let facts: EngineFacts
    let places: [[ObtainedPlacement]]

    private(set) var change = Digest()

    /// Spawns the workers, in `group` if there is one; each opens the store.
    init(
        _ contender: Contender, _ setups: [WorkerSetup], _ barrier: StartBarrier,
        in group: MemoryGroup?
    ) throws {
        precondition(!setups.isEmpty, "a crew has workers")
        name = contender.name
        (self.barrier, self.group) = (barrier, group)
        writes = setups[0].plans[0].workload.writes
        workers = try setups.indices.map {
            try WorkerProcess(
                name: "worker \($0 + 1) of \(setups.count) on the \(contender.name) store",
                program: contender.program)
        }
        for worker in workers { try group?.add(process: worker.process) }
        // The workers open the store in turn: two that tried to create it at once would collide.
        let replies = try zip(workers, setups).map { worker, setup in
            try worker.send(.open(setup))
            return try worker.reply()
        }
        guard case .opened(let facts, _) = replies.first else {
            throw BenchError(.worker, "a worker answered something other than its store's facts")
        }
        self.facts = facts
        places = replies.map { if case .opened(_, let places) = $0 { places } else { [] } }
    }

    /// One worker with one thread, which follows `plan`.
    package convenience init(
        _ contender: Contender, _ plan: WorkloadPlan, on source: Source, in folder: String,
        key: String?, cacheByteLimit: Int, barrierPath: String
    ) throws {
        var engine = EngineSetup(
            folder: folder, key: key, cacheByteLimit: cacheByteLimit,
            durability: plan.workload.durability ?? .full,
            payloadByteCount: source.payloadByteCount, laneCount: 1, workerCount: 1)
        engine.logByteCount = contender.logByteCount
        let setup = WorkerSetup(
            engine: engine, recordsPath: source.path, plans: [plan], places: [],
            barrierPath: barrierPath)
        Folder.removeFile(barrierPath)
        try self.init(contender, [setup], StartBarrier(creating: barrierPath, count: 1), in: nil)
    }

    package func warm() throws { _ = try ask(.warm) }

    /// Closes the store, calls `body` to change its files, and opens it again.
    package func reopen(_ body: () throws -> Void) throws {
        _ = try ask(.release)
        try body()
        _ = try ask(.reopen)
    }

    /// Runs a slice in all workers' threads at once; leaves no work to disturb the next contender.
    ///
    /// - Parameters:
    ///   - operations: how many operations each thread does.
    ///   - further: how many threads of the whole run do one more operation.
    ///   - isCounted: whether the sum that ``close()`` returns includes the slice.
    package func runSlice(
        operations: Int, further: Int = 0, isCounted: Bool = true
    ) throws -> SliceResult {
        try Interruption.shared.check()
        let order = SliceOrder(
            slice: nextSlice, operations: operations, further: further, isCounted: isCounted)
        _ = try ask(.arm(order))
        nextSlice += 1
        let total = SliceResult(merging: try ask(.go).map(Self.result))
        change = change + total.change
        if writes { _ = try ask(.rest) }
        return total
    }

    /// Makes the store finish the work that its commits have deferred.
    func drain() throws { _ = try askFirst(.drain) }

    /// Checks that the store holds the given records with the changes that the slices have made.
    func verify(_ records: Digest) throws {
        guard case .holds(let digest) = try askFirst(.digest) else {
            throw BenchError(.worker, "a worker answered something other than a digest")
        }
        let expected = records + change
        guard digest == expected else {
            throw BenchError(
                .digest, "the \(name) store holds \(digest), but must hold \(expected)")
        }
    }

    /// - Returns: the sum of all slices that ran with `isCounted`.
    @discardableResult package func close() throws -> SliceSum {
        let sum = try ask(.close).reduce(into: SliceSum()) { sum, reply in
            guard case .closed(let other) = reply else {
                throw BenchError(.worker, "a worker answered something other than its sum")
            }
            sum.join(other)
        }
        for worker in workers { try worker.finish() }
        try group?.remove()
        return sum
    }

    private func askFirst(_ command: WorkerCommand) throws -> WorkerReply {
        try workers[0].send(command)
        return try workers[0].reply()
    }

    private func ask(_ command: WorkerCommand) throws -> [WorkerReply] {
        try WorkerProcess.ask(workers, at: barrier) { _ in command }
    }

    private static func result(_ reply: WorkerReply) throws -> SliceResult {
        guard case .ran(let result) = reply else {
            throw BenchError(.worker, "a worker answered something other than a result")
        }
        return result
    }
}
