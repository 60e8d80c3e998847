/// What one lane needs to know to do its part of a workload.
///
/// A lane is one thread of one worker. Lanes are numbered through all workers, and lane `l` of `n`
/// alone changes the records `l`, `l + n`, `l + 2n`, ...: so what the store must hold in the end
/// does not depend on who came first, though all lanes read all records.
package struct WorkloadPlan: Codable, Sendable {
    package var workload: Workload
    package var lane: Int
    package var laneCount: Int
    package var seed: UInt64
    package var shard: Shard
    package var readsPerSnapshot: Int
    package var readsPerBatch: Int
    package var largeValueByteCount: Int
    /// Of generated records, those that a workload inserts among them.
    package var fieldCount: Int
    package var fieldByteCount: Int
    /// Operations by the second of this lane, in open loop; nil in closed loop.
    package var rate: Double?
    /// What a replay follows.
    package var tracePath: String?

    package init(_ workload: Workload, lane: Int, laneCount: Int, seed: UInt64) {
        self.workload = workload
        self.lane = lane
        self.laneCount = laneCount
        self.seed = seed
        shard = .whole
        readsPerSnapshot = 1
        readsPerBatch = 100
        largeValueByteCount = 4 << 20
        fieldCount = 1
        fieldByteCount = 100
    }

    /// The lane's place among all of the run, those of other shards included.
    var number: Int { shard.index * laneCount + lane }

    /// The stream of random numbers of one slice: the same for all contenders.
    func random(slice: Int) -> Random {
        Random(seed, UInt64(lane), UInt64(slice), UInt64(shard.index))
    }

    /// The record of this lane nearest to `index`.
    package func own(_ index: Int, of count: Int) -> Int {
        let candidate = index / laneCount * laneCount + lane
        return candidate < count ? candidate : candidate - laneCount
    }

    /// The records that this lane loads.
    package func share(of count: Int) -> Range<Int> {
        count * lane / laneCount..<count * (lane + 1) / laneCount
    }

    func lane(_ records: MappedRecords) throws -> any Lane {
        switch workload {
        case .load: LoadLane(self, records)
        case .pointRead: PointReadLane(self, records, perSnapshot: readsPerSnapshot)
        case .pointReadSnapshot: PointReadLane(self, records, perSnapshot: 1)
        case .batchedRead: BatchedReadLane(self, records)
        case .scan, .coldScan: ScanLane(records)
        case .smallCommit, .smallCommitRelaxed:
            OperationLane(UniformChanges(self, records))
        case .largeValue: LargeValueLane(self)
        case .replay: OperationLane(try TraceSource(self, records))
        case .ycsbA, .ycsbB, .ycsbC, .ycsbD, .ycsbE, .ycsbF:
            OperationLane(YCSBSource(self, workload.ycsb ?? .a, records))
        }
    }
}
