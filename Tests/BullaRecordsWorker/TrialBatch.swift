package import BullaRecords
import BullaTestSupport

/// Batches that a writer and its test both know; writer and number identify each.
///
/// Records `0` to `7` of a writer hold the number of its last batch. One more record belongs to
/// that batch alone, and the one that belonged to the batch before is deleted.
package enum TrialBatch {
    package static let type = "Count"
    package static let sharedCount = 8
    package static let changeCount = sharedCount + 2
    /// The number of changes of a small batch, which changes only two of the shared records.
    package static let smallChangeCount = smallSharedCount + 2

    private static let smallSharedCount = 2

    package static func identifier(_ writer: Int, _ number: UInt64) throws -> RandomIdentifier {
        var bytes: [UInt8] = []
        bytes.append(little: UInt64(writer))
        bytes.append(little: number)
        guard let identifier = RandomIdentifier(bytes: bytes) else {
            throw WorkerFailure(exit: .badCommand, message: "there are 16 bytes")
        }
        return identifier
    }

    package static func shared(_ writer: Int, _ index: Int) -> String { "w\(writer).\(index)" }
    package static func own(_ writer: Int, _ number: UInt64) -> String { "w\(writer).n\(number)" }

    /// The index place that a record of the type has, by its number.
    package static func place(_ number: UInt64, _ name: String) -> [UInt8] {
        IndexKey.place(.int64(Int64(number)), of: "number", type, record: name)
    }

    package static func batch(
        _ writer: Int, _ number: UInt64, in zone: ZoneLife, time: Int64
    ) throws -> BackendBatch {
        try batch(writer, number, in: zone, time: time, sharing: sharedCount)
    }

    package static func small(
        _ writer: Int, _ number: UInt64, in zone: ZoneLife
    ) throws -> BackendBatch {
        try batch(writer, number, in: zone, time: Int64(number), sharing: smallSharedCount)
    }

    private static func batch(
        _ writer: Int, _ number: UInt64, in zone: ZoneLife, time: Int64, sharing count: Int
    ) throws -> BackendBatch {
        var names = (0..<count).map { shared(writer, $0) }
        names.append(own(writer, number))
        var changes = try names.map { name in
            BackendBatch.Change(
                name, expected: .anything, entry: try entry(name, writer, number))
        }
        changes.append(
            BackendBatch.Change(own(writer, number - 1), expected: .anything, entry: nil))
        return BackendBatch(
            zone, identifier: try identifier(writer, number), epoch: 1, schemaVersion: 0,
            time: time, changes: changes, sealing: { _, _, _ in [] })
    }

    private static func entry(
        _ name: String, _ writer: Int, _ number: UInt64
    ) throws -> RecordEntry {
        var random = TestRandom(seed: UInt64(writer) << 32 | number)
        guard let tag = ChangeTag(bytes: random.uniqueBytes(ChangeTag.byteCount)) else {
            throw WorkerFailure(exit: .badCommand, message: "there are 12 bytes")
        }
        var bytes: [UInt8] = []
        bytes.append(little: number)
        return RecordEntry(
            bytes + random.bytes(random.below(400)), type: type, tag: tag,
            indexes: [place(number, name)],
            references: [ReferenceEdge(target: "target\(writer)", .none)])
    }
}
