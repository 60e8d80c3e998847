/// Runs rounds: all contenders side by side, each with its own processes and copy of the data.
final class RoundRunner {
    private let options: ComparisonOptions
    private let lineup: Lineup
    private let scratch: Scratch
    private let stores: StoreFolders
    private let places: [[ThreadPlacement]]
    private let key: String

    init(_ options: ComparisonOptions, _ lineup: Lineup, _ scratch: Scratch) throws {
        (self.options, self.lineup, self.scratch) = (options, lineup, scratch)
        stores = StoreFolders(scratch, lineup)
        places = try options.placement.plan(
            workers: options.workers, threads: options.threads, on: .current())
        key = try RunKey.random()
    }

    /// Loads the records of a source into new stores: the base stores of the other workloads.
    func runBase(_ source: Source) throws -> RoundResult {
        let load = Cell(.load, source, .empty, lineup, options)
        let result = try run(load, stores.makeBases(of: source), 0)
        stores.keep(result.facts)
        return result
    }

    /// Runs a round: a read-only workload uses the base stores, others use copies or new stores.
    func run(_ cell: Cell, number: Int) throws -> RoundResult {
        guard cell.workload.writes else {
            return try run(cell, stores.bases(of: cell.source), number)
        }
        let folders = try stores.makeRuns()
        defer { stores.removeRuns() }
        if !cell.workload.startsEmpty {
            for contender in lineup.order(number) {
                try Interruption.shared.check()
                try stores.copyBase(of: cell.source, contender)
            }
        }
        return try run(cell, folders, number)
    }

    private func run(_ cell: Cell, _ folders: [String], _ number: Int) throws -> RoundResult {
        let crews = try lineup.contenders.indices.map { try crew($0, cell, folders[$0], number) }
        let order = lineup.order(number)
        if cell.temperature == .hot { for contender in order { try crews[contender].warm() } }
        let plan = try plan(of: cell, crews)
        if !cell.workload.startsEmpty { try settle(crews, plan, number) }
        let cooling = Cooling(
            temperature: cell.temperature, folders: folders,
            cacheByteCount: min(options.cacheByteLimit, 2 * cell.source.payloadByteCount))
        var result = try measure(crews, plan, number, cooling)
        for contender in order {
            if cell.workload.writes { try crews[contender].drain() }
            try crews[contender].verify(cell.source.digest)
            result.totals[contender].costs.pageCacheByteCount = PageCache.byteCount(
                ofFilesIn: folders[contender])
            result.totals[contender].add(try crews[contender].close())
        }
        return result
    }

    /// Runs the slices that go into the result, in groups such as A B C C B A for three contenders.
    private func measure(
        _ crews: [Crew], _ plan: SlicePlan, _ number: Int, _ cooling: Cooling
    ) throws -> RoundResult {
        var result = RoundResult(facts: crews.map(\.facts), pairings: lineup.pairings)
        result.places = crews.first?.places ?? []
        for first in stride(from: 0, to: plan.operations.count, by: 2) {
            let order = lineup.order(number + first / 2)
            var slices = crews.map { _ in [SliceResult]() }
            for index in first..<min(first + 2, plan.operations.count) {
                for contender in index == first ? order : order.reversed() {
                    try cooling.cool(crews[contender], contender)
                    slices[contender].append(
                        try crews[contender].runSlice(
                            operations: plan.operations[index], further: plan.further))
                }
            }
            result.add(slices)
        }
        return result
    }

    /// Runs a first slice of each contender, which is left out of the result.
    private func settle(_ crews: [Crew], _ plan: SlicePlan, _ number: Int) throws {
        for contender in lineup.order(number) {
            _ = try crews[contender].runSlice(
                operations: plan.operations.first ?? 1, isCounted: false)
        }
    }

    private func plan(of cell: Cell, _ crews: [Crew]) throws -> SlicePlan {
        let plan = try cell.plan ?? newPlan(of: cell, crews)
        cell.plan = plan
        return plan
    }

    /// Plans all commits of a load; otherwise the operations asked for, or as many as fill a slice.
    private func newPlan(of cell: Cell, _ crews: [Crew]) throws -> SlicePlan {
        if cell.workload == .load {
            return SlicePlan(loading: cell.source.recordCount, laneCount: options.laneCount)
        }
        if let count = options.operationCount {
            return SlicePlan(all: count, runLaneCount: options.runLaneCount)
        }
        if let rate = options.rate {
            let each = rate / Double(options.laneCount) * SlicePlan.openNanoseconds / 1e9
            return SlicePlan(each: min(max(Int(each), 1), SlicePlan.operationLimit))
        }
        return try calibrated(cell.workload, crews)
    }

    /// Plans as many operations as fill a slice of the slowest contender; all do the same number.
    private func calibrated(_ workload: Workload, _ crews: [Crew]) throws -> SlicePlan {
        var operations = workload.pilotOperations
        let fill =
            workload.durability == .relaxed ? SlicePlan.relaxedNanoseconds : SlicePlan.nanoseconds
        while true {
            let times = try crews.map {
                try $0.runSlice(operations: operations, isCounted: false).nanoseconds
            }
            let plan = SlicePlan(calibratedBy: operations, took: times.max() ?? 0, to: fill)
            if let plan { return plan }
            operations = min(operations * 4, SlicePlan.operationLimit)
        }
    }

    private func crew(_ number: Int, _ cell: Cell, _ folder: String, _ round: Int) throws -> Crew {
        let contender = lineup.contenders[number]
        let path = scratch.file("barrier-\(number)")
        Folder.removeFile(path)
        let barrier = try StartBarrier(creating: path, count: options.laneCount)
        var engine = EngineSetup(
            folder: folder, key: contender.isEncrypted ? key : nil,
            cacheByteLimit: cell.cacheByteLimit(options), durability: cell.durability(options),
            payloadByteCount: cell.source.payloadByteCount, laneCount: options.laneCount,
            workerCount: options.workers, pageByteCount: options.pageByteCount,
            suite: contender.isEncrypted ? options.suite : nil)
        engine.model = contender.model
        let setups = (0..<options.workers).map { worker in
            WorkerSetup(
                engine: engine, recordsPath: cell.source.path,
                plans: (0..<options.threads).map { thread in
                    var plan = plan(cell, lane: worker * options.threads + thread, round)
                    plan.slowdown = contender.slowdown
                    return plan
                },
                places: places[worker], barrierPath: path)
        }
        let isBound = cell.temperature == .memoryBound
        return try Crew(
            contender, setups, barrier, in: isBound ? memoryGroup(cell.source, folder) : nil)
    }

    /// A control group with less memory than there is data.
    ///
    /// First drops the store's files from the page cache: the kernel charges a cached page to the
    /// process that read it first, so pages read before would not count towards the group's limit.
    private func memoryGroup(_ source: Source, _ folder: String) throws -> MemoryGroup {
        try PageCache.drop(filesIn: folder)
        return try MemoryGroup(byteLimit: MemoryBudget(options, source).byteLimit)
    }

    private func plan(_ cell: Cell, lane: Int, _ round: Int) -> WorkloadPlan {
        var plan = WorkloadPlan(
            cell.workload, lane: lane, laneCount: options.laneCount,
            seed: Random.mixed(options.seed ^ UInt64(round) << 32))
        plan.shard = options.shard
        plan.readsPerSnapshot = options.rate == nil ? options.readsPerSnapshot : 1
        plan.readsPerBatch = options.readsPerBatch
        plan.largeValueByteCount = options.largeValueByteCount
        plan.fieldCount = options.records.fieldCount
        plan.fieldByteCount = options.records.fieldByteCount
        plan.rate = options.rate.map { $0 / Double(options.laneCount) }
        plan.tracePath = options.tracePath
        return plan
    }
}

package struct SlicePlan: Sendable, Equatable {
    /// A slice's time: far longer than starting one takes, yet too short for the machine to drift.
    ///
    /// Ratios scatter by a tenth at 4, 10 and 40 ms alike, so many short slices beat few long ones.
    package static let nanoseconds = 5e6
    /// The time of a slice of relaxed commits: longer than the flush that follows it.
    package static let relaxedNanoseconds = 40e6
    /// The time of a slice in an open loop: long enough to show the tail of the latencies.
    package static let openNanoseconds = 1e9
    /// About how long all slices of a contender take in a round, unless a single one is longer.
    package static let roundNanoseconds = 320e6
    /// The minimum number of groups, except in a load.
    package static let groupMinimum = 2
    /// The greatest number of groups in a round; beyond it, another round tells more.
    package static let groupLimit = 16
    /// The greatest number of slices in a load.
    package static let loadSliceLimit = 32
    /// The maximum number of a thread's operations in a slice; all are laid out in memory.
    package static let operationLimit = 1 << 20

    /// The operations of each thread in each slice.
    ///
    /// Two neighbouring slices make a group: every contender does the first in turn, and then the
    /// second in the opposite order. So a drift of the machine affects all contenders alike.
    package let operations: [Int]
    /// How many threads, counted from the run's first, do one more operation in each slice.
    package let further: Int

    /// Slices of `operations` for each thread, in `groupCount` groups.
    package init(each operations: Int, further: Int = 0, groupCount: Int = groupMinimum) {
        self.operations = Array(repeating: operations, count: 2 * groupCount)
        self.further = further
    }

    /// Slices in which all threads of a run together do `count` operations.
    package init(all count: Int, runLaneCount: Int) {
        self.init(each: count / runLaneCount, further: count % runLaneCount)
    }

    /// All commits of a load, in slices that are as equal as possible.
    package init(loading recordCount: Int, laneCount: Int) {
        let perLane = (recordCount + laneCount - 1) / laneCount
        let commits = (perLane + Workload.recordsPerCommit - 1) / Workload.recordsPerCommit
        let count = max(min(Self.loadSliceLimit, commits / 2 * 2), 1)
        further = 0
        operations = (0..<count).map { commits * ($0 + 1) / count - commits * $0 / count }
    }

    /// Slices of the time `fill`, if `operations` took `nanoseconds`; nil if that was too short.
    package init?(
        calibratedBy operations: Int, took nanoseconds: Double, to fill: Double = Self.nanoseconds
    ) {
        let isAll = operations >= Self.operationLimit
        guard nanoseconds >= fill / 4 || isAll else { return nil }
        let scaled = Double(operations) * fill / max(nanoseconds, 1)
        let each = min(max(Int(scaled.rounded()), 1), Self.operationLimit)
        let slice = nanoseconds * Double(each) / Double(operations)
        let groupCount = Int((Self.roundNanoseconds / 2 / max(slice, 1)).rounded())
        self.init(each: each, groupCount: min(max(groupCount, Self.groupMinimum), Self.groupLimit))
    }
}
