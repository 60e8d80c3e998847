internal import BullaRecords
internal import BullaRecordsWeb

/// Changes of records.
extension RemoteDatabase {
    func modify(
        _ changes: [RecordChange], in zone: String, atomically: Bool
    ) throws(RecordError) -> [ChangeResult] {
        guard !changes.isEmpty else { return [] }
        let refusals = changes.map { refusal(of: $0) }
        let sent = zip(changes, refusals).filter { $1 == nil }.map(\.0)
        var left: [ChangeResult]
        if sent.count < changes.count, atomically || sent.isEmpty {
            let error = RecordError(
                .batchFailed, "change records: another change of the batch failed")
            left = sent.map { _ in .failed(error, current: nil) }
        } else {
            left = try send(sent, in: zone, atomically: atomically)
        }
        left.reverse()
        return refusals.map { refusal in
            if let refusal { return .failed(refusal, current: nil) }
            return left.removeLast()
        }
    }

    /// Why a change cannot be sent; `nil` if it can.
    private func refusal(of change: RecordChange) -> RecordError? {
        let attempt = "save record \(change.name.told)"
        if let field = change.unsayableField {
            return RecordError(
                .invalidArguments, "\(attempt): \(field.told) holds a number that is not finite")
        }
        return nil
    }

    private func send(
        _ changes: [RecordChange], in zone: String, atomically: Bool
    ) throws(RecordError) -> [ChangeResult] {
        let (identifier, assets) = (identifier(of: zone), source())
        let form = AnswerForm { [uploads] asset, _ in uploads.wire(asset) }
        let request = ClientRequest.modify(
            changes, in: identifier, atomically: atomically, form)
        let answers = try reader(assets).records(perform(request), in: identifier).records
        guard answers.count == changes.count else {
            throw RemoteFault.count("change \(changes.count) records")
        }
        var results: [ChangeResult] = []
        for (change, answer) in zip(changes, answers) {
            results.append(try result(of: change, answer, assets))
        }
        return try completed(results, changes, zone)
    }

    private func result(
        of change: RecordChange, _ answer: RecordAnswer, _ assets: RemoteAssets
    ) throws(RecordError) -> ChangeResult {
        switch (answer, change.kind) {
        case (.failed(_, let error), _): return .failed(RecordError(error), current: nil)
        case (.record(let record), .save) where record.record.name == change.name:
            return .saved(try Record(record, assets: assets))
        case (.deleted(let record, _), .delete) where record.name == change.name: return .deleted
        default: throw RemoteFault.count("change record \(change.name.told)")
        }
    }

    /// The results, completed with what the service leaves out: the present record if others have
    /// changed it, and the fields of a saved record if they did not fit into the answer.
    private func completed(
        _ results: [ChangeResult], _ changes: [RecordChange], _ zone: String
    ) throws(RecordError) -> [ChangeResult] {
        var results = results
        let places = results.indices.filter { results[$0].lacksRecord }
        let found = look(for: places.map { changes[$0].name }, in: zone)
        for (place, record) in zip(places, found) {
            switch (results[place], record) {
            case (.failed(let error, _), .success(let current)):
                results[place] = .failed(error, current: current)
            // The record cannot be read, or was deleted after the change failed: the error of
            // reading it becomes the result.
            case (.failed, .failure(let error)): results[place] = .failed(error, current: nil)
            case (.saved(let saved), .success(let current)) where current.tag == saved.tag:
                results[place] = .saved(current)
            // Others have changed the record after it was saved, or it cannot be read. The result
            // stays as it is: with the right tag, and without fields.
            default: break
            }
        }
        return results
    }

    private func look(
        for names: [String], in zone: String
    ) -> [Result<Record, RecordError>] {
        do throws(RecordError) { return try records(names, in: zone, fields: nil) } catch {
            return names.map { _ in .failure(error) }
        }
    }
}

extension ChangeResult {
    fileprivate var lacksRecord: Bool {
        switch self {
        case .saved(let record): record.fields.isEmpty
        case .failed(let error, _): error.code == .recordChanged
        case .deleted: false
        }
    }
}
