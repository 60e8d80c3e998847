/// Reads all records in order.
final class ScanLane: Lane {
    private let recordCount: Int
    private let expected: UInt64
    private let noKeys = ByteRun()
    private(set) var stepCount = 0

    init(_ records: MappedRecords) {
        recordCount = records.count
        expected = (0..<records.count).reduce(0) { sum, index in
            sum &+ records.withKey(index) { RecordHash.glance($0) }
                &+ records.withValue(index) { RecordHash.glance($0) }
        }
    }

    var work: Int { stepCount * recordCount }

    func prepare(slice: Int, operations: Int) {
        stepCount = operations
    }

    func run(
        _ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally
    ) throws {
        for _ in steps {
            try session.scan(noKeys, from: nil, limit: .max, &tally)
            tally.mark()
        }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        guard tally.sum == expected &* UInt64(stepCount), tally.seenCount == work else {
            throw BenchError(.digest, "a scan gave other records than were written")
        }
        return Digest()
    }
}
