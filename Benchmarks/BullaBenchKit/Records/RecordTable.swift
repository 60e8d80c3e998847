internal import BullaText

/// Records in memory, one for each key; a later record replaces an earlier one with the same key.
package struct RecordTable: Sendable {
    private var keys = ByteRun()
    private var values = ByteRun()
    private var latest: [UInt64: Int] = [:]
    private var isReplaced: [Bool] = []

    /// How many records were replaced by a later record with the same key.
    package private(set) var replacedCount = 0

    package init() {}

    package init(reserving count: Int, keyByteCount: Int, valueByteCount: Int) {
        keys.reserve(count: count, byteCount: count * keyByteCount)
        values.reserve(count: count, byteCount: count * valueByteCount)
        latest.reserveCapacity(count)
        isReplaced.reserveCapacity(count)
    }

    package var count: Int { keys.count - replacedCount }

    package mutating func append(key: (inout [UInt8]) -> Void, value: (inout [UInt8]) -> Void) {
        keys.append(key)
        values.append(value)
        isReplaced.append(false)
        replaceEarlier(than: keys.count - 1)
    }

    package mutating func append(key: [UInt8], value: [UInt8]) {
        append(key: { $0.append(contentsOf: key) }, value: { $0.append(contentsOf: value) })
    }

    package var places: [Int] { isReplaced.indices.filter { !isReplaced[$0] } }

    package func withKey<R>(_ place: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try keys.withBytes(place, body)
    }

    package func withValue<R>(_ place: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try values.withBytes(place, body)
    }

    private mutating func replaceEarlier(than place: Int) {
        var hash = keys.withBytes(place) { RecordHash.hash($0, seed: 0) }
        // If another key already has this hash, this key gets the next free number as its hash.
        while let earlier = latest[hash] {
            if copy(ofKey: earlier) == copy(ofKey: place) {
                isReplaced[earlier] = true
                replacedCount += 1
                break
            }
            hash &+= 1
        }
        latest[hash] = place
    }

    private func copy(ofKey place: Int) -> [UInt8] { keys.withBytes(place) { [UInt8]($0) } }
}

/// The generated records: YCSB's keys, and values of the requested fields.
package enum YCSBRecords {
    package static func table(_ options: RecordOptions, seed: UInt64) -> RecordTable {
        var table = RecordTable(
            reserving: options.count, keyByteCount: YCSBKey.byteCount,
            valueByteCount: options.valueByteCount)
        var random = Random(seed, 0x5EED)
        for number in 0..<UInt64(options.count) {
            table.append(
                key: { YCSBKey.append(number, to: &$0) },
                value: { options.values.append(options.valueByteCount, &random, to: &$0) })
        }
        return table
    }
}

/// A digest of a set of records, which does not depend on their order.
///
/// Two sums of hashes and a count show whether a record was lost, added, doubled or changed. For a
/// change, the old record is subtracted and the new one added; no other record is read.
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

    /// Reads `{"count": 3, "hash": "9c1f..."}`; the hash is text: a JSON number would not be exact.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        let hash = try fields.decode(String.self, forKey: .hash)
        guard let words = Hex.words(hash), words.count == 2 else {
            throw DecodingError.dataCorruptedError(
                forKey: .hash, in: fields, debugDescription: "not 32 hexadecimal digits")
        }
        count = UInt64(bitPattern: try fields.decode(Int64.self, forKey: .count))
        (sum, mixedSum) = (words[0], words[1])
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        // Writes the count with a sign, because changes can remove more records than they add.
        try fields.encode(Int64(bitPattern: count), forKey: .count)
        try fields.encode(hash, forKey: .hash)
    }

    private enum Field: CodingKey { case count, hash }

    private var hash: String {
        [sum, mixedSum].map { String(decoding: Hex.digits(of: $0), as: UTF8.self) }.joined()
    }

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

    package var description: String { "\(count) records with the hash \(hash)" }
}
