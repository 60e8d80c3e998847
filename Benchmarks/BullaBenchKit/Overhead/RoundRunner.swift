/// Runs rounds: both sides, each with processes and a copy of the data of its own, side by side.
final class RoundRunner {
    private let options: OverheadOptions
    private let scratch: Scratch
    private let key: String

    init(_ options: OverheadOptions, _ scratch: Scratch) throws {
        self.options = options
        self.scratch = scratch
        key = try StoreSetup.randomKey()
    }

    /// Loads the records of a source into two new stores, which are kept as the base that the other
    /// workloads copy.
    func runBase(_ source: Source, number: Int) throws -> RoundResult {
        let paths = basePaths(source)
        for side in Side.allCases { scratch.remove(store: paths[side]) }
        return try run(.bulkLoad, source, paths, number) { _ in loadPlan(source) }
    }

    /// One more round of a cell.
    func run(_ cell: Cell, number: Int) throws -> RoundResult {
        let paths = Pair { side in scratch.file("run-\(side.rawValue).bulla") }
        defer { for side in Side.allCases { scratch.remove(store: paths[side]) } }
        if !cell.workload.startsEmpty { try copyBase(cell.source, to: paths, number) }
        return try run(cell.workload, cell.source, paths, number) { crews in
            try plan(of: cell, crews)
        }
    }

    private func run(
        _ workload: Workload, _ source: Source, _ paths: Pair<String>, _ number: Int,
        plan: (Pair<Crew>) throws -> SlicePlan
    ) throws -> RoundResult {
        let crews = try Pair { try crew($0, workload, source, paths[$0], number) }
        if !workload.startsEmpty {
            for side in order(number) { try crews[side].warm() }
        }
        let plan = try plan(crews)
        if !workload.startsEmpty { try settle(crews, plan, number) }
        let result = try measure(crews, plan, number)
        for side in order(number) {
            try crews[side].verify(source.digest)
            try crews[side].close()
        }
        return result
    }

    /// The slices that count, in groups of four: A B B A.
    private func measure(
        _ crews: Pair<Crew>, _ plan: SlicePlan, _ number: Int
    ) throws -> RoundResult {
        var result = RoundResult(facts: Pair { crews[$0].facts })
        for first in stride(from: 0, to: plan.operations.count, by: 2) {
            let group = plan.operations[first..<min(first + 2, plan.operations.count)]
            result.add(try measure(crews, group, order(number + first / 2)))
        }
        return result
    }

    private func measure(
        _ crews: Pair<Crew>, _ group: ArraySlice<Int>, _ order: [Side]
    ) throws -> Pair<[SliceResult]> {
        var slices = Pair { _ in [SliceResult]() }
        for (index, operations) in group.enumerated() {
            for side in index == 0 ? order : order.reversed() {
                slices[side].append(try crews[side].runSlice(operations: operations))
            }
        }
        return slices
    }

    /// A slice on each side that does not count: after it, both have run the same code for as long.
    private func settle(_ crews: Pair<Crew>, _ plan: SlicePlan, _ number: Int) throws {
        let operations = max((plan.operations.first ?? 1) / 4, 1)
        for side in order(number) { _ = try crews[side].runSlice(operations: operations) }
    }

    private func plan(of cell: Cell, _ crews: Pair<Crew>) throws -> SlicePlan {
        if let plan = cell.plan { return plan }
        let plan =
            cell.workload == .bulkLoad
            ? loadPlan(cell.source)
            : SlicePlan(each: try calibrate(cell.workload, crews))
        cell.plan = plan
        return plan
    }

    private func loadPlan(_ source: Source) -> SlicePlan {
        SlicePlan(loading: source.recordCount, laneCount: options.laneCount)
    }

    /// How many operations the slower side does in a slice.
    ///
    /// Both sides do the same, so that both stores change alike.
    private func calibrate(_ workload: Workload, _ crews: Pair<Crew>) throws -> Int {
        var operations = workload.pilotOperations
        while true {
            let slices = try Pair { try crews[$0].runSlice(operations: operations) }
            let slower = max(slices.plain.nanoseconds, slices.encrypted.nanoseconds)
            if let calibrated = SlicePlan.calibrated(operations, took: slower) { return calibrated }
            guard operations < SlicePlan.operationLimit else { return operations }
            operations = min(operations * 4, SlicePlan.operationLimit)
        }
    }

    /// Which side begins: in turn, so that neither is always first.
    private func order(_ number: Int) -> [Side] {
        number % 2 == 0 ? [.plain, .encrypted] : [.encrypted, .plain]
    }

    private func basePaths(_ source: Source) -> Pair<String> {
        Pair { side in "\(source.path).base-\(side.rawValue).bulla" }
    }

    private func copyBase(_ source: Source, to paths: Pair<String>, _ number: Int) throws {
        let base = basePaths(source)
        for side in order(number) {
            try Interruption.shared.check()
            try Descriptor.open(base[side]).copy(to: paths[side])
        }
    }

    private func crew(
        _ side: Side, _ workload: Workload, _ source: Source, _ path: String, _ number: Int
    ) throws -> Crew {
        let store = StoreSetup(
            path: path, key: side == .plain ? nil : key, pageByteCount: options.pageByteCount,
            suite: options.suite, cacheByteLimit: options.cacheByteLimit)
        let setups = (0..<options.workers).map { worker in
            WorkerSetup(
                store: store, recordsPath: source.path,
                plans: (0..<options.threads).map { plan(workload, worker, $0, number) })
        }
        return try Crew(side, setups)
    }

    private func plan(
        _ workload: Workload, _ worker: Int, _ thread: Int, _ number: Int
    ) -> WorkloadPlan {
        WorkloadPlan(
            workload: workload, lane: worker * options.threads + thread,
            laneCount: options.laneCount, seed: Random.mixed(options.seed ^ UInt64(number) << 32),
            readsPerSnapshot: options.readsPerSnapshot, durability: options.durability)
    }
}
