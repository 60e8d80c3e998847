/// Measures the peers in one process, in rounds: each round gives every peer the same slice of
/// work, the first in turn.
final class PeerRun {
    private static let recordsPerCommit = 10_000
    /// Commits of the load that are measured as one slice.
    private static let commitsPerSlice = 5
    private static let readCount = 100_000
    private static let commitCount = 200

    private let peers: [any Peer]
    private let records: Records
    private let roundCount: Int
    private var random: Random

    init(_ peers: [any Peer], _ records: Records, roundCount: Int, seed: UInt64) {
        self.peers = peers
        self.records = records
        self.roundCount = roundCount
        random = Random(seed, 0x9EE5)
    }

    func run(_ say: (String) -> Void) throws -> [PeerSamples] {
        try PeerWorkload.allCases.map { workload in
            say(workload.rawValue)
            switch workload {
            case .load: return try load()
            case .read: return try read(workload) { try $0.read($1) }
            case .readEach: return try read(workload) { try $0.readEach($1) }
            case .scan: return try scan()
            case .commit: return try commit()
            }
        }
    }

    private func load() throws -> PeerSamples {
        var samples = PeerSamples(.load, peerCount: peers.count)
        let step = Self.recordsPerCommit * Self.commitsPerSlice
        for (round, first) in stride(from: 0, to: records.count, by: step).enumerated() {
            let slice = first..<min(first + step, records.count)
            _ = try measure(&samples, round, work: slice.count) { peer in
                for start in stride(from: first, to: slice.upperBound, by: Self.recordsPerCommit) {
                    let end = min(start + Self.recordsPerCommit, slice.upperBound)
                    try peer.load(records, start..<end)
                }
                return 0
            }
        }
        return samples
    }

    private func read(
        _ workload: PeerWorkload, _ body: (any Peer, ByteRun) throws -> UInt64
    ) throws -> PeerSamples {
        var samples = PeerSamples(workload, peerCount: peers.count)
        for peer in peers { _ = try peer.scan() }
        for round in 0..<roundCount {
            let keys = records.draw(Self.readCount, &random)
            try same(measure(&samples, round, work: keys.count) { try body($0, keys) })
        }
        return samples
    }

    private func scan() throws -> PeerSamples {
        var samples = PeerSamples(.scan, peerCount: peers.count)
        for peer in peers { _ = try peer.scan() }
        for round in 0..<roundCount {
            try same(measure(&samples, round, work: records.count) { try $0.scan() })
        }
        return samples
    }

    /// Commits change records and give them back their values: what the peers hold stays the same.
    private func commit() throws -> PeerSamples {
        var samples = PeerSamples(.commit, peerCount: peers.count)
        for round in 0..<roundCount {
            let (keys, values) = drawRecords()
            _ = try measure(&samples, round, work: keys.count) { peer in
                try peer.commitEach(keys, values)
                return 0
            }
        }
        try same(peers.map { try $0.scan() })
        return samples
    }

    private func drawRecords() -> (keys: ByteRun, values: ByteRun) {
        var (keys, values) = (ByteRun(), ByteRun())
        for _ in 0..<Self.commitCount {
            let index = random.below(records.count)
            records.keys.withBytes(index) { keys.append($0) }
            records.values.withBytes(index) { values.append($0) }
        }
        return (keys, values)
    }

    /// One round: every peer does the same, and the first is another one each time.
    private func measure(
        _ samples: inout PeerSamples, _ round: Int, work: Int,
        _ body: (any Peer) throws -> UInt64
    ) throws -> [UInt64] {
        var sums = [UInt64](repeating: 0, count: peers.count)
        for turn in peers.indices {
            try Interruption.shared.check()
            let peer = (round + turn) % peers.count
            let start = Clock.now
            sums[peer] = try body(peers[peer])
            samples.add(peer, work: work, nanoseconds: Clock.now - start)
        }
        return sums
    }

    /// All peers must have seen the same.
    private func same(_ sums: [UInt64]) throws {
        guard sums.allSatisfy({ $0 == sums.first }) else {
            throw BenchError(.digest, "the peers gave different records for the same keys")
        }
    }
}
