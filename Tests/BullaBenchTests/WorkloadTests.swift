import BullaBenchKit
import BullaText
import Testing

@Suite struct `A slice plan` {
    @Test func `of a load has every commit once, in pairs of slices`() {
        #expect(SlicePlan(loading: 1_000_000, laneCount: 1).operations.reduce(0, +) == 100)
        #expect(SlicePlan(loading: 63_465, laneCount: 1).operations == [1, 1, 1, 1, 1, 2])
        #expect(SlicePlan(loading: 300_000, laneCount: 1).operations.count == 30)
        #expect(SlicePlan(loading: 9, laneCount: 1).operations == [1])
        #expect(SlicePlan(loading: 1_000_000, laneCount: 3).operations.reduce(0, +) == 34)
    }

    @Test func `is calibrated from a slice that was long enough to tell`() {
        #expect(SlicePlan(calibratedBy: 1_000, took: 1e6) == nil)
        let plan = SlicePlan(calibratedBy: 1_000, took: 20e6)
        #expect(plan == SlicePlan(each: 250, groupCount: 16))
        let none = SlicePlan(calibratedBy: SlicePlan.operationLimit, took: 0)
        #expect(none?.operations.first == SlicePlan.operationLimit)
    }

    @Test func `has fewer slices where one operation is long`() {
        #expect(SlicePlan(calibratedBy: 1, took: 53e6) == SlicePlan(each: 1, groupCount: 3))
        #expect(SlicePlan(calibratedBy: 1, took: 5e9) == SlicePlan(each: 1, groupCount: 2))
    }
}

@Suite struct `Workloads` {
    @Test func `are named in a list, each once`() {
        #expect(Workload.list("scan,ycsb-a,scan") == [.scan, .ycsbA])
        #expect(Workload.list("scan,nonsense") == nil)
        #expect(Workload.list("") == nil)
        #expect(Workload.list("all")?.contains(.replay) == false)
        #expect(Temperature.list("disk,hot") == [.hot, .disk])
        #expect(Temperature.list("empty") == nil)
    }

    @Test(arguments: [(1_000, 1), (1_000, 3), (7, 4)])
    func `give each lane records that no other lane changes`(count: Int, laneCount: Int) {
        var owners = [Int: Set<Int>]()
        for lane in 0..<laneCount {
            let plan = Self.plan(lane, of: laneCount)
            for index in 0..<count { owners[plan.own(index, of: count), default: []].insert(lane) }
        }
        #expect(owners.values.allSatisfy { $0.count == 1 })
        #expect(owners.keys.allSatisfy { (0..<count).contains($0) })
        #expect(owners.count == count)
    }

    @Test func `share the records of a load`() {
        let shares = (0..<3).map { Self.plan($0, of: 3).share(of: 100) }
        #expect(shares.flatMap { Array($0) } == Array(0..<100))
    }

    private static func plan(_ lane: Int, of laneCount: Int) -> WorkloadPlan {
        WorkloadPlan(.smallCommit, lane: lane, laneCount: laneCount, seed: 1)
    }
}

@Suite struct `Options` {
    @Test func `that make no sense are refused with what was expected`() {
        var options = ComparisonOptions()
        options.workers = 0
        let error = #expect(throws: BenchError.self) { try options.check() }
        #expect(error?.exit == .usage)
        #expect(error?.message == "--workers is 0, expected 1 to 1024")
    }
}
