/// What a slice did, in one thread, one worker or all of them.
package struct SliceResult: Codable, Sendable {
    /// When the first thread started, by the monotonic clock.
    package var start: UInt64
    /// When the last one ended.
    package var end: UInt64
    package var work: Int
    package var latency: Latency
    /// How the store's content changed.
    package var change: Digest
    package var costs = Costs()

    package init(start: UInt64, end: UInt64, work: Int, latency: Latency, change: Digest) {
        self.start = start
        self.end = end
        self.work = work
        self.latency = latency
        self.change = change
    }

    /// Takes in what another thread or worker did at the same time.
    package mutating func merge(_ other: Self) {
        start = min(start, other.start)
        end = max(end, other.end)
        work += other.work
        latency.merge(other.latency)
        change = change + other.change
        costs.join(other.costs)
    }

    package var nanoseconds: Double { Double(end - start) }
}
