/// A part of a run's work: part `index` of `count`, which together do what one run does.
package struct Shard: Codable, Sendable, Equatable, CustomStringConvertible {
    package static let whole = Shard(index: 0, count: 1)

    package let index: Int
    package let count: Int

    package init(index: Int, count: Int) {
        precondition(count > 0 && (0..<count).contains(index), "a shard is one of its run's")
        self.index = index
        self.count = count
    }

    /// As `0/8` to `7/8`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1],
            count > 0, count <= 1 << 20, (0..<count).contains(index)
        else { return nil }
        self.init(index: index, count: count)
    }

    package var description: String { "\(index)/\(count)" }
}

extension Shard {
    /// Whether a key belongs to this part of the key space.
    package func owns(_ key: [UInt8]) -> Bool {
        Self.hash(key) % UInt64(count) == UInt64(index)
    }

    /// Which of a shard's lanes follows a key.
    ///
    /// Lanes of one shard divide what shards would divide: one run of eight lanes does what eight
    /// shards of one lane do.
    package func lane(_ key: [UInt8], of laneCount: Int) -> Int {
        Int(Self.hash(key) / UInt64(count) % UInt64(laneCount))
    }

    private static func hash(_ key: [UInt8]) -> UInt64 {
        key.withSpan { RecordHash.hash($0, seed: 0x5A4D) }
    }
}
