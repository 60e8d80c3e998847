/// The layout of a file of records, which the harness writes for its workers to map.
///
///     offset            bytes          field
///          0                8          count of records, n
///          8      8 * (2n + 1)         where key 0, value 0, key 1, ... begin; last, where all end
///        ...               ...         key 0, value 0, key 1, ...
///
/// Words are little-endian. The records lie in random order: to take them as they come is to take
/// them in random order, whatever their keys, which is what a bulk load in random order does.
package enum RecordFile {
    /// Writes the records of `table` whose keys are wanted to a new file.
    package static func write(
        _ table: RecordTable, to path: String, seed: UInt64,
        where isWanted: ([UInt8]) -> Bool = { _ in true }
    ) throws {
        let wanted = table.places.filter { place in isWanted(table.withKey(place) { [UInt8]($0) }) }
        let places = shuffled(wanted, seed: seed)
        let file = try Descriptor.create(path)
        try file.write(header(table, places))
        var piece: [UInt8] = []
        for place in places {
            table.withKey(place) { piece.append($0) }
            table.withValue(place) { piece.append($0) }
            guard piece.count >= 1 << 20 else { continue }
            try file.write(piece)
            piece.removeAll(keepingCapacity: true)
        }
        try file.write(piece)
    }

    private static func shuffled(_ places: [Int], seed: UInt64) -> [Int] {
        var random = Random(seed, 0x0D0E)
        return random.permutation(places.count).map { places[$0] }
    }

    private static func header(_ table: RecordTable, _ places: [Int]) -> [UInt8] {
        var place = 8 * (2 * places.count + 2)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(place)
        append(places.count, to: &bytes)
        for index in places {
            append(place, to: &bytes)
            place += table.withKey(index) { $0.byteCount }
            append(place, to: &bytes)
            place += table.withValue(index) { $0.byteCount }
        }
        append(place, to: &bytes)
        return bytes
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
