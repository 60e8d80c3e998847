/// What one round measured.
package struct RoundResult: Sendable {
    /// What one contender did in all slices that count.
    package struct Total: Sendable {
        package var work = 0
        package var nanoseconds = 0.0
        package var latency = Latency()
        package var costs = Costs()

        package init() {}

        package mutating func add(_ slice: SliceResult) {
            work += slice.work
            nanoseconds += slice.nanoseconds
            latency.merge(slice.latency)
            costs.add(slice.costs)
        }

        /// In the workload's unit, by the second.
        package var throughput: Double {
            nanoseconds > 0 ? Double(work) * 1e9 / nanoseconds : 0
        }
    }

    /// Time of the contender / time of the base, for each pairing.
    ///
    /// There is one for each group of slices that did the same work side by side.
    package private(set) var ratios: [[Double]]
    package var totals: [Total]
    /// What the stores turned out to be.
    package let facts: [EngineFacts]
    /// Where the threads of each worker really were.
    package var places: [[ObtainedPlacement]] = []
    private let pairings: [Lineup.Pairing]

    package init(facts: [EngineFacts], pairings: [Lineup.Pairing]) {
        self.facts = facts
        self.pairings = pairings
        totals = facts.map { _ in Total() }
        ratios = pairings.map { _ in [] }
    }

    /// Takes in slices of all contenders that did the same work.
    package mutating func add(_ slices: [[SliceResult]]) {
        for (contender, slices) in slices.enumerated() {
            for slice in slices { totals[contender].add(slice) }
        }
        let times = slices.map { $0.reduce(0) { $0 + $1.nanoseconds } }
        for (index, pairing) in pairings.enumerated() {
            let (time, base) = (times[pairing.contender], times[pairing.base])
            if time > 0, base > 0 { ratios[index].append(time / base) }
        }
    }
}
