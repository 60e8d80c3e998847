extension RecordCore {
    /// Updates the index places of every record to match the schema.
    ///
    /// When a schema gains an index, saving a record adds it to the index from then on; this method
    /// adds the older records. It needs no user's keys, and followers see no change.
    ///
    /// - Throws: `damaged` for a record whose plain values cannot be opened; `unavailable`.
    /// - Complexity: reads every record of the container's environment, and makes one commit for
    ///   each page of records.
    package func reindex() throws(RecordError) {
        let schema = try schemas.reload().schema
        for zone in try backend.zones(of: place) {
            for type in schema.types.keys.sorted() { try reindex(type, in: zone, schema) }
        }
    }

    private func reindex(
        _ type: String, in zone: StoredZone, _ schema: RecordSchema
    ) throws(RecordError) {
        let life = ZoneLife(zone)
        let everything = IndexKey.field(RecordFinder.everyRecord, of: type)
        var mark: [UInt8]?
        repeat {
            let page = try backend.scan(
                everything, in: life, after: mark, limit: limits.answerCount)
            let stored = try backend.records(page.names, in: life)
            var records: [ReindexedRecord] = []
            for (name, stored) in zip(page.names, stored) {
                guard let bytes = stored?.bytes else { continue }
                records.append(try reindexed(name, bytes, zone, schema))
            }
            try backend.reindex(records, in: life)
            mark = page.mark
        } while mark != nil
    }

    private func reindexed(
        _ name: String, _ bytes: [UInt8], _ zone: StoredZone, _ schema: RecordSchema
    ) throws(RecordError) -> ReindexedRecord {
        guard let record = SealedRecord(bytes) else {
            throw RecordError(.damaged, "reindex record \(name): the stored bytes are malformed")
        }
        let scope = SealScope(zone, of: record)
        let plain = try container.plainValues(of: record, name: name, in: scope)
        return ReindexedRecord(
            name, record.tag, indexes: RecordFinder.indexes(name, record, plain, schema))
    }
}
