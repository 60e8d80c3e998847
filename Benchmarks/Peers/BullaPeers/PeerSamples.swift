/// The throughput of each peer in each round of one workload.
struct PeerSamples {
    let workload: PeerWorkload
    /// In the workload's unit by the second: a list for each peer, in the order of the peers.
    private(set) var rates: [[Double]]

    init(_ workload: PeerWorkload, peerCount: Int) {
        self.workload = workload
        rates = Array(repeating: [], count: peerCount)
    }

    mutating func add(_ peer: Int, work: Int, nanoseconds: UInt64) {
        rates[peer].append(Double(work) * 1e9 / Double(max(nanoseconds, 1)))
    }

    func median(_ peer: Int) -> Double { rates[peer].median ?? 0 }

    /// The throughput of one peer over another's: the median over the rounds, with its interval.
    func ratio(_ peer: Int, over other: Int, seed: UInt64) -> Interval? {
        var bootstrap = Bootstrap(seed: seed)
        return bootstrap.interval(ofMedian: zip(rates[peer], rates[other]).map { [$0 / $1] })
    }
}
