extension CKDatabase {
    /// All zones, the default one among them.
    public func allRecordZones() async throws -> [CKRecordZone] {
        try await read { view throws(RecordError) in
            try view.zones().map { CKRecordZone(found: $0.zoneID(home: view.home)) }
        }
    }

    /// Looks a zone up.
    ///
    /// - Throws: ``CKError``: `zoneNotFound`, with ``CKErrorUserDidResetEncryptedDataKey`` where
    ///   its keys were reset: then it has to be deleted and made again.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        try await read { view throws(RecordError) in try view.checkedZone(zoneID) }
    }

    /// Looks zones up.
    ///
    /// - Returns: for each, the zone, or the ``CKError`` that ``recordZone(for:)`` would throw.
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

    /// Makes a zone; one that is there stays as it is.
    ///
    /// - Throws: ``CKError``: `invalidArguments` for a name that no zone may have, and in the
    ///   public database; `permissionFailure` in the shared one; `zoneNotFound` with
    ///   ``CKErrorUserDidResetEncryptedDataKey`` where one is there whose keys were reset: it is to
    ///   be deleted first.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        try await write { view throws(RecordError) in try view.save(zone) }
    }

    /// Deletes a zone, with all its records; in the shared database, leaves it, and nothing else.
    ///
    /// - Throws: ``CKError``: `zoneNotFound`; `invalidArguments` for the default zone, unless its
    ///   keys were reset: it is then made again when it is used.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        try await write { view throws(RecordError) in try view.delete(zoneID) }
        return zoneID
    }

    /// Makes and deletes zones, one after the other.
    ///
    /// - Returns: for each, what became of it, or the ``CKError`` that ``save(_:)`` or
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

extension DatabaseView {
    /// A zone that is there, and whose keys are.
    fileprivate func checkedZone(_ id: CKRecordZone.ID) throws(RecordError) -> CKRecordZone {
        let (view, name) = (try zones(like: id), id.zoneName)
        // The default zone would be made by looking at it.
        if name != ZoneIdentifier.defaultName || scope == .shared { _ = try view.zone(name) }
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
