import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// The log of an unclosed store, with bytes that were valid at another time or place.
@Suite struct `A live log with frames replayed` {
    /// Replays both halves together, each half, each block, and what was in the place of each
    /// frame.
    private static func replay(_ former: LiveLog, into log: LiveLog) throws {
        let halves = [log.half(of: 0), log.half(of: 1)]
        let blocks = log.places.flatMap { place in
            (place.lowerBound / 4096...place.upperBound / 4096).map {
                $0 * 4096..<$0 * 4096 + 4096
            }
        }
        // Everything from each block on, which includes the second copy of a header with what
        // follows it.
        let rests = blocks.flatMap { block in
            halves.filter { $0.contains(block.lowerBound) }.map {
                block.lowerBound..<$0.upperBound
            }
        }
        let single = halves + blocks + rests + log.commits.map(log.frame)
        var found: Set<UInt64?> = []
        for ranges in [halves] + single.map({ [$0] }) {
            try Finding.within("bytes \(ranges)") {
                _ = found.insert(
                    try log.open { bytes in
                        for range in ranges {
                            bytes.replaceSubrange(range, with: former.bytes[range])
                        }
                    })
            }
        }
        #expect(found.isSuperset(of: [nil, log.marked]))
    }

    /// Makes commits that are marked as durable, and a few more that are not.
    private static func finish(_ live: LiveStore) throws -> LiveLog {
        try live.commit(8)
        try live.mark()
        try live.commitUnflushed(3)
        return try live.freeze()
    }

    @Test(arguments: StoreKind.allCases)
    func `from an earlier use of the half is damaged, or ends before them`(
        kind: StoreKind
    ) throws {
        let first = try LiveStore(kind)
        defer { first.kill() }
        try first.commit(45)
        let former = try first.freeze()
        try demand(former.places.count == 1, "it lies in the first half")
        var isReused = false
        while !isReused {
            try first.commit(1, byteCount: 6000)
            isReused = try first.freeze().sequence(of: first.current.commit) >= 2
        }
        // When the store closes, the trees take over the whole log, so the next log has only
        // commits of its own.
        try first.store.close()
        let live = try LiveStore(kind, after: try first.freeze(), seed: 2)
        defer { live.kill() }
        let log = try Self.finish(live)
        let isSame = log.places.count == 1 && log.sequence(of: log.newest) == 2
        try demand(isSame, "it lies in the same half")
        try Self.replay(former, into: log)
    }

    @Test(arguments: StoreKind.allCases)
    func `from a copy that went its own way is damaged, or ends before them`(
        kind: StoreKind
    ) throws {
        let first = try LiveStore(kind)
        try first.commit(3)
        let origin = try first.freeze()
        first.kill()
        let (live, sibling) = (
            try LiveStore(kind, after: origin, seed: 2), try LiveStore(kind, after: origin, seed: 3)
        )
        defer { [live, sibling].forEach { $0.kill() } }
        // The sibling's log reaches further than the other log, but stays in the same half. If it
        // reached the next use of a half, recovery would trust what a header there calls durable.
        try sibling.commit(16)
        try Self.replay(try sibling.freeze(), into: try Self.finish(live))
    }
}
