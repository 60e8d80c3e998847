import BullaRecords

extension WebCall {
    /// The zones that have changed, and those that no longer exist.
    func databaseChanges(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try DatabaseChangesRequest(value, context)
        let changes = try view.databaseChanges(
            since: request.syncToken, limit: request.resultsLimit)
        let gone = changes.gone.map { zone, reason in
            DatabaseChangesAnswer.Item(zone, deletion: .init(reason))
        }
        return DatabaseChangesAnswer(
            gone + changes.changed.map { DatabaseChangesAnswer.Item($0) },
            syncToken: changes.token, moreComing: changes.hasMore
        ).bytes(deletionReasons: request.deletionReasons)
    }

    /// The changes of one zone.
    func recordChanges(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try ZoneChangesRequest(value, context)
        let form = form(
            numbersAsStrings: request.numbersAsStrings, hasInvitations: request.hasInvitations)
        return try changes(
            request, limit: request.resultsLimit, byteCount: limits.answerByteCount, form
        ).bytes
    }

    /// The changes of several zones; each zone may fill an equal part of the answer.
    func zoneChanges(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try ZonesChangesRequest(value, context)
        let zoneCount = max(request.zones.count, 1)
        let limit = max(limits.wire.resultLimit / zoneCount, 1)
        var items: [ZonesChangesAnswer.Item] = []
        for zone in request.zones {
            let form = form(
                numbersAsStrings: zone.numbersAsStrings, hasInvitations: zone.hasInvitations)
            do throws(RecordError) {
                let changes = try changes(
                    zone, limit: min(limit, zone.resultsLimit),
                    byteCount: limits.answerByteCount / zoneCount, form)
                items.append(.changes(changes.answer, form))
            } catch { items.append(.failed(zone.zone, WebError(error))) }
        }
        return ZonesChangesAnswer(items).bytes()
    }

    /// A page of a zone's changes, with fewer changes if it would otherwise have too many bytes.
    private func changes(
        _ request: ZoneChangesRequest, limit: Int, byteCount: Int, _ form: AnswerForm
    ) throws(RecordError) -> (answer: ZoneChangesAnswer, bytes: [UInt8]) {
        guard !request.isReverse else {
            throw RecordError(
                .invalidArguments, "follow changes: they only come oldest first")
        }
        let zones = try self.zones(like: request.zone)
        var count = limit
        while true {
            let found = try zones.changes(
                in: request.zone.name, since: request.syncToken, limit: count,
                hasRecords: request.hasRecords)
            let answer = ZoneChangesAnswer(
                request.zone, records(found, request), syncToken: found.token,
                moreComing: found.hasMore)
            let bytes = answer.bytes(form)
            guard bytes.count > byteCount, count > 1 else { return (answer, bytes) }
            // The page may have far fewer changes than the limit allows, and half the limit could
            // then give the same page again. So the new limit is half the page's number of changes.
            count = max(min(count, found.changed.count + found.deleted.count) / 2, 1)
        }
    }

    private func records(
        _ changes: ZoneChanges, _ request: ZoneChangesRequest
    ) -> [RecordAnswer] {
        func isWanted(_ type: String) -> Bool {
            request.desiredRecordTypes?.contains(type) ?? true
        }
        var records: [RecordAnswer] = []
        for (name, record) in changes.changed {
            switch record {
            case .success(let record) where isWanted(record.type):
                records.append(
                    RecordAnswer(
                        record, desiredKeys: request.desiredKeys, keepsSealed: request.keepsSealed))
            case .success: continue
            case .failure(let error):
                records.append(.failed(recordName: name, WebError(error)))
            }
        }
        for (name, type) in changes.deleted where isWanted(type) {
            let record = RecordIdentifier(name, in: request.zone)
            records.append(.deleted(record, type: request.deletedTypes ? type : nil))
        }
        return records
    }
}

extension DatabaseChangesAnswer.Item.DeletionReason {
    fileprivate init(_ reason: DatabaseChanges.Reason) {
        switch reason {
        case .deleted: self = .deleted
        case .purged: self = .purged
        case .encryptedDataReset: self = .encryptedDataReset
        }
    }
}
