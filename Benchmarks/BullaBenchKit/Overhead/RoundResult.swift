/// What one round measured.
package struct RoundResult: Sendable {
    /// What one side did in all slices that count.
    package struct Total: Sendable {
        package var work = 0
        package var nanoseconds = 0.0
        package var latency = Latency()

        package init() {}

        package mutating func add(_ slice: SliceResult) {
            work += slice.work
            nanoseconds += slice.nanoseconds
            latency.merge(slice.latency)
        }

        /// In the workload's unit, by the second.
        package var throughput: Double {
            nanoseconds > 0 ? Double(work) * 1e9 / nanoseconds : 0
        }
    }

    /// Time encrypted / time plain, of each group of slices that did the same work side by side.
    package private(set) var ratios: [Double] = []
    package private(set) var totals = Pair { _ in Total() }
    /// What the stores turned out to be.
    package let facts: Pair<StoreFacts>

    package init(facts: Pair<StoreFacts>) {
        self.facts = facts
    }

    /// Takes in slices of both sides that did the same work.
    package mutating func add(_ slices: Pair<[SliceResult]>) {
        for side in Side.allCases {
            for slice in slices[side] { totals[side].add(slice) }
        }
        let times = Pair { side in slices[side].reduce(0) { $0 + $1.nanoseconds } }
        if times.plain > 0, times.encrypted > 0 {
            ratios.append(times.encrypted / times.plain)
        }
    }
}
