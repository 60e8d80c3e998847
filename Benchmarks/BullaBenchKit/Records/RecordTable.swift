/// Records in memory, one for each key: of two with the same key, the later one stays.
package struct RecordTable: Sendable {
    private var keys = ByteRun()
    private var values = ByteRun()
    private var latest: [UInt64: Int] = [:]
    private var isReplaced: [Bool] = []

    /// Records that a later one with the same key replaced.
    package private(set) var replacedCount = 0

    package init() {}

    package init(reserving count: Int, keyByteCount: Int, valueByteCount: Int) {
        keys.reserve(count: count, byteCount: count * keyByteCount)
        values.reserve(count: count, byteCount: count * valueByteCount)
        latest.reserveCapacity(count)
        isReplaced.reserveCapacity(count)
    }

    package var count: Int { keys.count - replacedCount }

    /// Appends a record whose parts `key` and `value` write.
    package mutating func append(
        key: (inout [UInt8]) -> Void, value: (inout [UInt8]) -> Void
    ) {
        keys.append(key)
        values.append(value)
        isReplaced.append(false)
        replaceEarlier(than: keys.count - 1)
    }

    package mutating func append(key: [UInt8], value: [UInt8]) {
        append(key: { $0.append(contentsOf: key) }, value: { $0.append(contentsOf: value) })
    }

    /// The places of the records that stay, as they came.
    package var places: [Int] { isReplaced.indices.filter { !isReplaced[$0] } }

    package func withKey<R>(_ place: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try keys.withBytes(place, body)
    }

    package func withValue<R>(_ place: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try values.withBytes(place, body)
    }

    private mutating func replaceEarlier(than place: Int) {
        var hash = keys.withBytes(place) { RecordHash.hash($0, seed: 0) }
        // Another key may have the same hash: then the next number stands in for it.
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

    private func copy(ofKey place: Int) -> [UInt8] {
        keys.withBytes(place) { [UInt8]($0) }
    }
}
