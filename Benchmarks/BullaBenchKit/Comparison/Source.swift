/// Records that a run works on: where they lie, and what they add up to.
package struct Source: Sendable {
    package let name: String
    package let path: String
    package let recordCount: Int
    package let payloadByteCount: Int
    /// Records of the input that a later one with the same key replaced.
    package let replacedCount: Int
    package let digest: Digest

    /// Writes the records of `table` where workers can map them.
    ///
    /// - Parameter shard: of the records, those whose keys it owns are written.
    package init(
        name: String, _ table: RecordTable, _ shard: Shard = .whole, to path: String, seed: UInt64
    ) throws {
        try RecordFile.write(table, to: path, seed: seed) { shard.owns($0) }
        let records = try MappedRecords(path: path)
        self.name = name
        self.path = path
        recordCount = records.count
        payloadByteCount = records.payloadByteCount
        replacedCount = table.replacedCount
        digest = records.digest()
    }
}
