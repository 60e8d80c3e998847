internal import BullaRecords
internal import BullaRecordsWeb

/// The records.
extension RemoteDatabase {
    func records(
        _ names: [String], in zone: String, fields: Set<String>?
    ) throws(RecordError) -> [Result<Record, RecordError>] {
        guard !names.isEmpty else { return [] }
        let (zone, assets) = (identifier(of: zone), source())
        let bytes = try perform(.lookUp(names, in: zone, fields: fields))
        let answers = try reader(assets).records(bytes, in: zone).records
        guard answers.count == names.count else {
            throw RemoteFault.count("read \(names.count) records")
        }
        var results: [Result<Record, RecordError>] = []
        for (name, answer) in zip(names, answers) {
            var result = result(answer, name, assets)
            if case .failure(let error) = result, error.code == .limitExceeded, names.count > 1 {
                // The record did not fit into the answer: ask for it alone.
                result = try records([name], in: zone.name, fields: fields)[0]
            }
            results.append(result)
        }
        return results
    }

    /// The record, or the error, in an answer about one record.
    private func result(
        _ answer: RecordAnswer, _ name: String, _ assets: RemoteAssets
    ) -> Result<Record, RecordError> {
        switch answer {
        case .record(let record) where record.record.name == name:
            Result { () throws(RecordError) in try Record(record, assets: assets) }
        case .failed(_, let error): .failure(RecordError(error))
        case .record, .deleted: .failure(RemoteFault.count("read record \(name.told)"))
        }
    }

    func changes(
        in zone: String, since token: [UInt8]?, limit: Int?, fields: Set<String>?,
        hasRecords: Bool
    ) throws(RecordError) -> ZoneChanges {
        let (zone, assets) = (identifier(of: zone), source())
        let request = ClientRequest.changes(
            in: zone, since: token, limit: limit, fields: fields, hasRecords: hasRecords)
        let answer = try reader(assets).changes(perform(request), in: zone)
        guard !answer.moreComing || answer.syncToken != token else {
            throw RemoteFault.noProgress("follow zone \(zone.name.told)")
        }
        var changes = ZoneChanges()
        for item in answer.records {
            switch item {
            case .record(let record):
                let name = record.record.name
                changes.changed.append((name, result(item, name, assets)))
            case .failed(let name?, let error):
                changes.changed.append((name, .failure(RecordError(error))))
            case .failed(nil, let error): throw RecordError(error)
            case .deleted(let record, let type):
                changes.deleted.append((record.name, type ?? ""))
            }
        }
        (changes.token, changes.hasMore) = (answer.syncToken, answer.moreComing)
        return changes
    }

    func query(
        _ query: RecordQuery, in zone: String, after mark: [UInt8]?, limit: Int?,
        fields: Set<String>?
    ) throws(RecordError) -> QueryPage {
        if let field = query.unsayableField {
            throw RecordError(
                .invalidArguments,
                "look for records: field \(field.told) is compared with a number that is not finite"
            )
        }
        let (zone, assets) = (identifier(of: zone), source())
        let request = ClientRequest.query(
            query, in: zone, after: mark, limit: limit, fields: fields)
        let answer = try reader(assets).records(perform(request), in: zone)
        guard answer.continuationMarker == nil || answer.continuationMarker != mark else {
            throw RemoteFault.noProgress("look for records")
        }
        var page = QueryPage()
        page.mark = answer.continuationMarker
        for item in answer.records {
            switch item {
            case .record(let record): page.records.append(try Record(record, assets: assets))
            case .failed(let name?, let error): page.failures.append((name, RecordError(error)))
            case .failed(nil, let error): throw RecordError(error)
            case .deleted: throw RemoteFault.count("look for records")
            }
        }
        return page
    }
}
