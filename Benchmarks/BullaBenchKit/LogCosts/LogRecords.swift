internal import BullaText

/// The records of a run's stores, in the order of their keys, and the values that they can have.
struct LogRecords: Sendable {
    /// How many values a record takes in turn; each change gives the record the next value.
    static let valueCount = 1_024
    private static let valueByteCount = 100

    private(set) var keys = ByteRun()
    private(set) var values = ByteRun()
    private var keyGlances: [UInt64] = []
    private var valueGlances: [UInt64] = []

    var count: Int { keys.count }

    init(count: Int) {
        let sorted = (0..<UInt64(count)).map(Self.key).sorted { $0.lexicographicallyPrecedes($1) }
        keys.reserve(count: count, byteCount: count * YCSBKey.byteCount)
        for key in sorted {
            keys.append { $0.append(contentsOf: key) }
            keyGlances.append(key.withSpan { RecordHash.glance($0) })
        }
        var random = Random(seed: 3)
        for number in 0..<Self.valueCount {
            values.append { YCSBValue.append(Self.valueByteCount, &random, to: &$0) }
            valueGlances.append(values.withBytes(number) { RecordHash.glance($0) })
        }
    }

    private static func key(_ number: UInt64) -> [UInt8] {
        var key: [UInt8] = []
        YCSBKey.append(number, to: &key)
        return key
    }

    func glance(ofKey place: Int) -> UInt64 { keyGlances[place] }
    func glance(ofValue number: Int) -> UInt64 { valueGlances[number] }

    func hash(_ place: Int, value number: Int) -> UInt64 {
        keys.withBytes(place) { key in
            values.withBytes(number) { RecordHash.hash(key, $0) }
        }
    }
}

/// Which value each record of a store has.
struct LogModel: Sendable {
    /// The number of records in each of the commits that fill a log.
    static let batchCount = 500
    /// An upper bound of how many bytes such a commit takes in the log.
    static let batchByteCount = batchCount * 256

    private(set) var values: [Int]

    /// Gives all records the same value.
    init(count: Int, value: Int = 0) { values = [Int](repeating: value, count: count) }

    /// Gives a record its next value.
    mutating func advance(_ place: Int) -> Int {
        values[place] = (values[place] + 1) % LogRecords.valueCount
        return values[place]
    }

    /// Draws the records for one of the commits that fill a log.
    static func batch(of range: Range<Int>, _ random: inout Random) -> [Int] {
        (0..<batchCount).map { _ in range.lowerBound + random.below(range.count) }
    }

    /// Adopts the changes of another process, whose model began with the value `former` in all
    /// records.
    mutating func take(_ changed: LogModel, since former: Int) {
        for place in values.indices where changed.values[place] != former {
            values[place] = changed.values[place]
        }
    }

    func digest(_ records: LogRecords) -> Digest {
        var digest = Digest()
        for (place, value) in values.enumerated() { digest.add(records.hash(place, value: value)) }
        return digest
    }
}
