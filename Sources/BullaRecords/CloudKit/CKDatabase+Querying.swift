extension CKDatabase {
    /// Records of a type that meet a query's predicate, in its order.
    ///
    /// A page may be short, or empty, before the end, which is where there is no cursor. A record
    /// that is changed between two pages may be missed, or come twice.
    ///
    /// - Parameters:
    ///   - zoneID: where to look; `nil` for all zones, one after the other, which a query with an
    ///     order cannot.
    ///   - desiredKeys: the fields that the records are to have; `nil` for all.
    ///   - resultsLimit: how many records the page has; at most, and at first, 200.
    /// - Returns: the records, or why one of them does not open; and where to go on.
    /// - Throws: ``CKError``: `invalidArguments` for a predicate that cannot be asked, and where
    ///   the schema does not let a query look at a field; `unknownItem` for a type that the schema
    ///   does not have; `limitExceeded` where too many records would have to be sorted by more than
    ///   one field; `zoneNotFound`.
    /// - Complexity: in the records that the best of the comparisons leaves.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
        queryCursor: CKQueryOperation.Cursor?
    ) {
        try await read { view throws(RecordError) in
            let asked = try query.asked(by: view.session.account)
            let zones = if let zoneID { [zoneID] } else { try view.searchedZones(asked) }
            let cursor = CKQueryOperation.Cursor(asked, zones, nil)
            return try view.answer(cursor, desiredKeys, resultsLimit)
        }
    }

    /// The next page of an answer.
    ///
    /// - Parameter queryCursor: of the last page, and of this database.
    /// - Returns: as the first page.
    /// - Throws: as for the first page; and `changeTokenExpired` where the zone was deleted and
    ///   made again since.
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

extension DatabaseView {
    /// All zones, for a query that may look at more than one.
    fileprivate func searchedZones(_ query: RecordQuery) throws(RecordError) -> [CKRecordZone.ID] {
        let zones = try zones().map { $0.zoneID(home: home) }
        guard query.sorts.isEmpty || zones.count == 1 else {
            throw RecordError(
                .invalidArguments,
                "look for records in \(zones.count) zones: an order is that of one zone; name it")
        }
        return zones
    }

    fileprivate func answer(
        _ cursor: CKQueryOperation.Cursor, _ desiredKeys: [String]?, _ limit: Int
    ) throws(RecordError) -> (
        [(CKRecord.ID, Result<CKRecord, any Error>)], CKQueryOperation.Cursor?
    ) {
        guard limit >= 0 else {
            throw RecordError(.invalidArguments, "look for records: a page has none or more")
        }
        let limit = limit == CKQueryOperation.maximumResults ? core.limits.answerCount : limit
        let desired = desiredKeys.map { Set($0) }
        var results: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
        var (zones, mark) = (cursor.zones[...], cursor.mark)
        while let zone = zones.first, results.count < limit {
            let page = try self.zones(like: zone).query(
                cursor.query, in: zone.zoneName, after: mark, limit: limit - results.count)
            for record in page.records {
                let id = CKRecord.ID(recordName: record.identifier.name, zoneID: zone)
                results.append((id, .success(given(record, id, desiredKeys: desired))))
            }
            for (name, error) in page.failures {
                let id = CKRecord.ID(recordName: name, zoneID: zone)
                results.append((id, .failure(CKError(error))))
            }
            mark = page.mark
            // A page that is not the zone's last is enough for one answer.
            if mark != nil { break }
            zones.removeFirst()
        }
        let next = zones.isEmpty ? nil : CKQueryOperation.Cursor(cursor.query, Array(zones), mark)
        return (results, next)
    }
}
