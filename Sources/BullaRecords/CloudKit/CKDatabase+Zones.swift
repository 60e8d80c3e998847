extension CKDatabase {
    /// All zones, including the default one unless this is the shared database.
    public func allRecordZones() async throws -> [CKRecordZone] {
        try await read { view throws(RecordError) in
            try view.zones().map { CKRecordZone(found: $0.zoneID(home: view.home)) }
        }
    }

    /// Looks up a zone.
    ///
    /// - Throws: ``CKError``: `zoneNotFound`, with ``CKErrorUserDidResetEncryptedDataKey`` if its
    ///   keys were reset. Such a zone has to be deleted and created again.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        try await read { view throws(RecordError) in try view.checkedZone(zoneID) }
    }

    /// Looks up zones.
    ///
    /// - Returns: for each identifier the zone, or the ``CKError`` that ``recordZone(for:)`` would
    ///   throw.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        try await read { view throws(RecordError) in
            var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
            for id in ids {
                let result = Result { () throws(RecordError) in try view.checkedZone(id) }
                results[id] = result.given { $0 }
            }
            return results
        }
    }

    /// Creates a zone; an existing one stays as it is.
    ///
    /// - Throws: ``CKError``: `invalidArguments` for an invalid name, and in the public database;
    ///   `permissionFailure` in the shared one; `zoneNotFound` with
    ///   ``CKErrorUserDidResetEncryptedDataKey`` if the zone exists but its keys were reset: delete
    ///   it first.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        try await write { view throws(RecordError) in try view.save(zone) }
    }

    /// Deletes a zone with all its records; in the shared database, the user only leaves the zone.
    ///
    /// - Throws: ``CKError``: `zoneNotFound`; `invalidArguments` for the default zone, unless its
    ///   keys were reset: in that case it is created again at its next use.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        try await write { view throws(RecordError) in try view.delete(zoneID) }
        return zoneID
    }

    /// Opens all records of a zone, and checks that the zone's newest change left exactly these
    /// records.
    ///
    /// Reading a record proves that somebody with the keys saved it, under this name. Only this
    /// method proves that nobody with access to the store has put back an older version of a
    /// record, and that no record is missing. Change tokens show whether somebody has put back an
    /// older version of the whole zone.
    ///
    /// - Returns: how many records the zone has.
    /// - Throws: ``CKError``: `zoneNotFound`; `internalError`, with a human-readable message, if a
    ///   record does not open, or if the zone's newest change did not leave exactly these records.
    /// - Complexity: reads every record of the zone, all as they were at one moment.
    @discardableResult
    public func verifyRecordZone(withID zoneID: CKRecordZone.ID) async throws -> Int {
        try await read { view throws(RecordError) in
            try view.zones(like: zoneID).verifyZone(zoneID.zoneName)
        }
    }

    /// Creates and deletes zones, one after the other.
    ///
    /// - Returns: for each zone the result, or the ``CKError`` that ``save(_:)`` or
    ///   ``deleteRecordZone(withID:)`` would throw.
    @discardableResult
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone] = [],
        deleting recordZoneIDsToDelete: [CKRecordZone.ID] = []
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        try await write { view throws(RecordError) in
            var saved: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
            for zone in recordZonesToSave {
                let result = Result { () throws(RecordError) in try view.save(zone) }
                saved[zone.zoneID] = result.given { $0 }
            }
            var deleted: [CKRecordZone.ID: Result<Void, any Error>] = [:]
            for id in recordZoneIDsToDelete {
                let result = Result { () throws(RecordError) in try view.delete(id) }
                deleted[id] = result.given { $0 }
            }
            return (saved, deleted)
        }
    }
}

extension RecordDatabase {
    /// The zone, if it exists and its keys were not reset.
    fileprivate func checkedZone(_ id: CKRecordZone.ID) throws(RecordError) -> CKRecordZone {
        try zones(like: id).checkZone(id.zoneName)
        return CKRecordZone(found: id)
    }

    fileprivate func save(_ zone: CKRecordZone) throws(RecordError) -> CKRecordZone {
        let name = zone.zoneID.zoneName
        if scope != .shared { _ = try zones(like: zone.zoneID) }
        if name != ZoneIdentifier.defaultName { try createZone(name) }
        return try checkedZone(zone.zoneID)
    }

    fileprivate func delete(_ id: CKRecordZone.ID) throws(RecordError) {
        try zones(like: id).deleteZone(id.zoneName)
    }
}
