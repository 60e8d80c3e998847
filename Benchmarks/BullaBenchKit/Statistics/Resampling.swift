/// Draws clusters of samples again, and finds the median of what was drawn.
///
/// The samples are sorted once, and a draw counts how often each came: the median is then found by
/// counting up to the middle.
struct Resampling {
    /// All samples, ascending.
    private let samples: [Double]
    /// Where in `samples` those of each cluster are, one cluster behind the other.
    private let places: [Int]
    /// Where in `places` each cluster begins, and where the last one ends.
    private let starts: [Int]
    /// How often each sample was drawn; all zero between draws.
    private var counts: [Int]

    init(of clusters: [[Double]]) {
        let joined = Array(clusters.joined())
        precondition(!joined.isEmpty, "there is something to draw")
        let order = joined.indices.sorted { joined[$0] < joined[$1] }
        samples = order.map { joined[$0] }
        var places = [Int](repeating: 0, count: joined.count)
        for (place, index) in order.enumerated() { places[index] = place }
        self.places = places
        starts = clusters.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        counts = [Int](repeating: 0, count: joined.count)
    }

    /// Draws as many clusters as there are, and of each as many samples as it has.
    mutating func median(_ random: inout Random) -> Double {
        var drawCount = 0
        let clusterCount = starts.count - 1
        for _ in 0..<clusterCount {
            let cluster = random.below(clusterCount)
            let (start, count) = (starts[cluster], starts[cluster + 1] - starts[cluster])
            for _ in 0..<count { counts[places[start + random.below(count)]] += 1 }
            drawCount += count
        }
        return takeMedian(of: drawCount)
    }

    private mutating func takeMedian(of drawCount: Int) -> Double {
        let (lower, upper) = ((drawCount - 1) / 2, drawCount / 2)
        var (seen, below, above) = (0, 0.0, 0.0)
        for place in counts.indices {
            let next = seen + counts[place]
            if seen <= lower, lower < next { below = samples[place] }
            if seen <= upper, upper < next { above = samples[place] }
            seen = next
            counts[place] = 0
        }
        return below + (above - below) * (lower == upper ? 0 : 0.5)
    }
}
