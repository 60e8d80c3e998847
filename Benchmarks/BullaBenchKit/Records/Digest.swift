/// What a set of records adds up to, in whatever order they come.
///
/// Two sums of hashes and a count: a record lost, added, doubled or changed shows. As a sum, it can
/// follow a change without looking at all records again: take the old one off, add the new one.
package struct Digest: Codable, Sendable, Equatable, CustomStringConvertible {
    package private(set) var count: UInt64 = 0
    package private(set) var sum: UInt64 = 0
    package private(set) var mixedSum: UInt64 = 0

    package init() {}

    @inline(__always)
    package mutating func add(_ hash: UInt64) {
        count &+= 1
        sum &+= hash
        mixedSum &+= Random.mixed(hash)
    }

    /// As `{"count": 300000, "hash": "9c1f..."}`: JSON's numbers are not exact beyond 2^53.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        let hash = try fields.decode(String.self, forKey: .hash)
        guard let words = Hex.words(from: hash), words.count == 2 else {
            throw DecodingError.dataCorruptedError(
                forKey: .hash, in: fields, debugDescription: "not 32 hexadecimal digits")
        }
        count = UInt64(bitPattern: try fields.decode(Int64.self, forKey: .count))
        (sum, mixedSum) = (words[0], words[1])
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        // A change of a store can take more records away than it adds: hence a signed number.
        try fields.encode(Int64(bitPattern: count), forKey: .count)
        try fields.encode(hash, forKey: .hash)
    }

    private enum Field: CodingKey { case count, hash }

    private var hash: String { Hex.string(sum) + Hex.string(mixedSum) }

    package mutating func remove(_ hash: UInt64) {
        count &-= 1
        sum &-= hash
        mixedSum &-= Random.mixed(hash)
    }

    package static func + (left: Self, right: Self) -> Self {
        var both = left
        both.count &+= right.count
        both.sum &+= right.sum
        both.mixedSum &+= right.mixedSum
        return both
    }

    package var description: String {
        "\(count) records with the hash \(hash)"
    }
}
