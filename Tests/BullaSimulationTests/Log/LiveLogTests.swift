import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// Whatever is done to the log of an unclosed store, opening either reports damage, or gives the
/// log's commits in order, at least up to the one that the newest mark names.
@Suite struct `The live log of a store` {
    /// Bytes other than those written: zeros, or noise.
    private static let blanks: [@Sendable (Int) -> [UInt8]] = [
        { [UInt8](repeating: 0, count: $0) },
        { count in
            var random = TestRandom(seed: count)
            return random.uniqueBytes(count)
        },
    ]

    private static func logs(_ kind: StoreKind) throws -> [LiveLog] {
        let logs = [try LiveLog.usual(kind), try LiveLog.long(kind)]
        for log in logs {
            // Some commits are known to be durable, and some are not.
            try demand(log.marked > log.commits.lowerBound + 3, "a mark is in the midst of it")
            try demand(log.marked + 3 == log.newest, "a tail is behind the mark")
            #expect(try log.open { _ in } == log.newest)
        }
        try demand(logs[0].places.count == 1 && logs[1].places.count == 2, "one spans both halves")
        return logs
    }

    @Test(arguments: StoreKind.allCases)
    func `with every byte of a live log flipped is damaged, or ends at a tail nobody was told of`(
        kind: StoreKind
    ) throws {
        for log in try Self.logs(kind) {
            var found: Set<UInt64?> = []
            for place in log.places {
                let step = TestMode.pick(short: place.count / 24, long: 1)
                for offset in stride(from: place.lowerBound, to: place.upperBound, by: step) {
                    try Finding.within("byte \(offset)") {
                        let commit = try log.open { $0[offset] ^= 1 << UInt8(offset / step % 8) }
                        found.insert(commit)
                    }
                }
            }
            #expect(found.isSuperset(of: [nil, log.newest]))
        }
    }

    /// A copy that leaves out empty blocks has zeros there.
    @Test(arguments: StoreKind.allCases)
    func `with a segment with missing blocks is damaged, or ends at a tail nobody was told of`(
        kind: StoreKind
    ) throws {
        for log in try Self.logs(kind) {
            var found: Set<UInt64?> = []
            for place in log.places {
                let blocks = place.lowerBound / 4096..<place.upperBound / 4096 + 1
                for block in blocks {
                    // One block, and all blocks from there on.
                    for end in [block + 1, blocks.upperBound] {
                        let range = block * 4096..<min(end * 4096, log.bytes.count)
                        let leaveOut = { (bytes: inout [UInt8]) in
                            bytes.replaceSubrange(range, with: Self.blanks[0](range.count))
                        }
                        try Finding.within("bytes \(range)") {
                            let commit = try log.open(leaveOut)
                            found.insert(commit)
                            if commit != nil { try log.goOn(leaveOut) }
                        }
                    }
                }
            }
            #expect(found.isSuperset(of: [nil, log.newest]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with frames swapped is damaged, or ends before them`(kind: StoreKind) throws {
        for log in try Self.logs(kind) {
            for (left, right) in Self.pairs(log) {
                let (one, other) = (log.frame(of: left), log.frame(of: right))
                let between = log.bytes[one.upperBound..<other.lowerBound]
                let swapped = log.bytes[other] + between + log.bytes[one]
                try Finding.within("frames \(left) and \(right) swapped") {
                    _ = try log.open {
                        $0.replaceSubrange(one.lowerBound..<other.upperBound, with: swapped)
                    }
                }
            }
        }
    }

    /// Pairs of commits in the same half, including all pairs whose frames are neighbours.
    private static func pairs(_ log: LiveLog) -> [(UInt64, UInt64)] {
        let step: UInt64 = TestMode.pick(short: 12, long: 1)
        return log.commits.flatMap { left in
            log.commits.compactMap { right in
                let isOfHalf = log.sequence(of: left) == log.sequence(of: right)
                let isPicked = right == left + 1 || (left + right) % step == 0
                return left < right && isOfHalf && isPicked ? (left, right) : nil
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with frames cut is damaged, or ends before them`(kind: StoreKind) throws {
        for log in try Self.logs(kind) {
            let isAll = TestMode.isLong
            for commit in log.commits where isAll || commit % 3 == 0 || commit >= log.marked {
                let frame = log.frame(of: commit)
                try Finding.within("frame \(commit) cut out") { try Self.cutOut(commit, log) }
                guard let place = log.places.first(where: { $0.overlaps(frame) }) else { continue }
                // Blank the log from the frame's beginning, from its middle, and from its last byte
                // on.
                for start in [frame.lowerBound, frame.lowerBound + 90, frame.upperBound - 1] {
                    for blank in Self.blanks {
                        try Finding.within("from byte \(start) on") {
                            _ = try log.open {
                                $0.replaceSubrange(
                                    start..<place.upperBound,
                                    with: blank(place.upperBound - start))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Moves what follows a frame to the place of the frame.
    private static func cutOut(_ commit: UInt64, _ log: LiveLog) throws {
        let frame = log.frame(of: commit)
        guard let place = log.places.first(where: { $0.overlaps(frame) }) else { return }
        let rest = log.bytes[frame.upperBound..<place.upperBound]
        try log.open {
            $0.replaceSubrange(frame.lowerBound..<frame.lowerBound + rest.count, with: rest)
        }
    }

    /// Puts each frame after the newest one, and over other frames of the same length.
    @Test(arguments: StoreKind.allCases)
    func `with frames replayed is damaged, or ends before them`(kind: StoreKind) throws {
        for log in try Self.logs(kind) {
            let end = log.frame(of: log.newest).upperBound
            for commit in log.commits {
                let frame = log.bytes[log.frame(of: commit)]
                let found = try log.open {
                    $0.replaceSubrange(end..<end + frame.count, with: frame)
                }
                #expect(found == log.newest)
            }
            for (left, right) in Self.pairs(log) {
                let (one, other) = (log.frame(of: left), log.frame(of: right))
                guard one.count == other.count else { continue }
                for (target, source) in [(one, other), (other, one)] {
                    try Finding.within("frame \(left) and frame \(right)") {
                        _ = try log.open { $0.replaceSubrange(target, with: log.bytes[source]) }
                    }
                }
            }
        }
    }

    #if BULLA_CHECKS
    @Test(arguments: StoreKind.allCases)
    func `is found to be cut short where an engine tells nobody`(kind: StoreKind) throws {
        let log = try LiveLog.usual(kind)
        let frame = log.frame(of: log.marked)
        PlantedBug.$current.withValue(.logEndUnreported) {
            _ = #expect(throws: Finding.self) { try log.open { $0[frame.lowerBound + 90] ^= 1 } }
        }
    }
    #endif
}
