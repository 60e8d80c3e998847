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
    package var readsPerSnapshot: Int
    package var durability: BenchDurability

    package init(
        workload: Workload, lane: Int, laneCount: Int, seed: UInt64, readsPerSnapshot: Int,
        durability: BenchDurability
    ) {
        self.workload = workload
        self.lane = lane
        self.laneCount = laneCount
        self.seed = seed
        self.readsPerSnapshot = readsPerSnapshot
        self.durability = durability
    }

    /// The stream of random numbers of one slice: the same on both sides of a pair.
    func random(slice: Int) -> Random {
        Random(seed, UInt64(lane), UInt64(slice))
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
}
