extension CKDatabase {
    /// The records of a type that match a query's predicate, in the query's order.
    ///
    /// A page can be short or empty before the end; the end is reached when there is no cursor. A
    /// record that changes between two pages may be missing from the result, or appear in it twice.
    ///
    /// - Parameters:
    ///   - zoneID: the zone to search; `nil` searches all zones, one after the other. If the query
    ///     has an order, `nil` is refused unless there is exactly one zone.
    ///   - desiredKeys: the fields to read; `nil` for all.
    ///   - resultsLimit: the maximum number of records that the page may have; at most, and by
    ///     default, 200.
    /// - Returns: the records, with an error in place of each that cannot be opened; and the cursor
    ///   for the next page.
    /// - Throws: ``CKError``: `invalidArguments` for an unsupported predicate, or if the schema
    ///   does not allow queries on a field; `unknownItem` for a type that the schema does not have;
    ///   `limitExceeded` if too many records would have to be sorted by more than one field or by
    ///   distance, or too much text would have to be searched for words; `zoneNotFound`.
    /// - Complexity: grows with the number of records that an index finds for the predicate. If no
    ///   index serves the predicate, that is the number of all records of the type.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
        queryCursor: CKQueryOperation.Cursor?
    ) {
        try await read { view throws(RecordError) in
            let asked = try query.asked(by: view.viewer)
            let zones = if let zoneID { [zoneID] } else { try view.searchedZones(asked) }
            let cursor = CKQueryOperation.Cursor(asked, zones, nil)
            return try view.answer(cursor, desiredKeys, resultsLimit)
        }
    }

    /// The next page of a query's result.
    ///
    /// - Parameter queryCursor: from the previous page, which must be of this database.
    /// - Returns: as for the first page.
    /// - Throws: as for the first page; and `changeTokenExpired` if the zone was deleted and
    ///   created again since the previous page.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
        desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
        queryCursor: CKQueryOperation.Cursor?
    ) {
        try await read { view throws(RecordError) in
            try view.answer(queryCursor, desiredKeys, resultsLimit)
        }
    }
}

extension RecordDatabase {
    /// All zones; throws if the query has an order, unless there is exactly one zone.
    fileprivate func searchedZones(_ query: RecordQuery) throws(RecordError) -> [CKRecordZone.ID] {
        let zones = try zones().map { $0.zoneID(home: home) }
        guard query.sorts.isEmpty || zones.count == 1 else {
            throw RecordError(
                .invalidArguments,
                "look for records in \(zones.count) zones: a query with an order needs one zone")
        }
        return zones
    }

    fileprivate func answer(
        _ cursor: CKQueryOperation.Cursor, _ desiredKeys: [String]?, _ limit: Int
    ) throws(RecordError) -> (
        [(CKRecord.ID, Result<CKRecord, any Error>)], CKQueryOperation.Cursor?
    ) {
        guard limit >= 0 else {
            throw RecordError(.invalidArguments, "look for records: the limit is negative")
        }
        let limit = limit == CKQueryOperation.maximumResults ? limits.answerCount : limit
        let desired = desiredKeys.map { Set($0) }
        var results: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
        var (zones, mark) = (cursor.zones[...], cursor.mark)
        while let zone = zones.first, results.count < limit {
            let page = try self.zones(like: zone).query(
                cursor.query, in: zone.zoneName, after: mark, limit: limit - results.count,
                fields: desired)
            for record in page.records {
                let id = CKRecord.ID(recordName: record.identifier.name, zoneID: zone)
                results.append((id, .success(given(record, id, desiredKeys: desired))))
            }
            for (name, error) in page.failures {
                let id = CKRecord.ID(recordName: name, zoneID: zone)
                results.append((id, .failure(CKError(error))))
            }
            mark = page.mark
            // If the zone has more pages, the next answer continues with them.
            if mark != nil { break }
            zones.removeFirst()
        }
        let next = zones.isEmpty ? nil : CKQueryOperation.Cursor(cursor.query, Array(zones), mark)
        return (results, next)
    }
}
