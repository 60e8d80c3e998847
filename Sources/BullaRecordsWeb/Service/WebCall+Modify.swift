import BullaRecords
internal import Foundation

extension WebCall {
    /// Changes records in the zones that the request names, one zone after the other.
    ///
    /// Unless the request says otherwise, the changes in a custom zone are atomic. A record that
    /// does not fit in the answer is saved all the same, but the answer gives it without its
    /// fields.
    func modifyRecords(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try ModifyRequest(value, context)
        let form = form(
            numbersAsStrings: request.numbersAsStrings, hasInvitations: request.hasInvitations)
        var run = RecordsModification(self, request)
        let records = try run.run()
        return RecordsAnswer(records).bytes(
            within: limits.answerByteCount, form
        ) { record in
            var record = record
            record.fields = []
            return .record(record)
        }
    }
}

/// The changes of one request.
private struct RecordsModification {
    private let call: WebCall
    private let request: ModifyRequest
    private let names: [String]
    private var answers: [RecordAnswer?]

    init(_ call: WebCall, _ request: ModifyRequest) {
        (self.call, self.request) = (call, request)
        names = request.operations.map { $0.recordName ?? UUID().uuidString }
        answers = names.map { _ in nil }
    }

    /// The results of all operations, in order.
    ///
    /// - Throws: errors that concern all operations.
    mutating func run() throws(RecordError) -> [RecordAnswer] {
        var zones: [ZoneIdentifier] = []
        var indexes: [ZoneIdentifier: [Int]] = [:]
        for (index, operation) in request.operations.enumerated() {
            if indexes[operation.zone] == nil { zones.append(operation.zone) }
            indexes[operation.zone, default: []].append(index)
        }
        guard request.atomic != true || zones.count <= 1 else {
            throw RecordError(
                .invalidArguments, "change records: an atomic batch must lie in one zone")
        }
        for zone in zones {
            let indexes = indexes[zone] ?? []
            do throws(RecordError) { try change(indexes, in: zone) } catch {
                // The error of one zone must not hide the results of the request's other zones.
                guard zones.count > 1 else { throw error }
                for index in indexes { fail(index, error) }
            }
        }
        return answers.compactMap { $0 }
    }

    private mutating func fail(_ index: Int, _ error: RecordError) {
        let name = request.operations[index].recordName
        answers[index] = .failed(recordName: name, WebError(error))
    }

    private mutating func change(
        _ indexes: [Int], in zone: ZoneIdentifier
    ) throws(RecordError) {
        let view = try call.zones(like: zone)
        let isAtomic = (request.atomic ?? true) && !zone.isDefault
        var changes: [(index: Int, change: RecordChange)] = []
        for index in indexes {
            let type = try type(request.operations[index], view)
            do throws(RecordError) {
                changes.append((index, try change(index, type.get())))
            } catch { fail(index, error) }
        }
        guard !isAtomic || changes.count == indexes.count else {
            let error = RecordError(
                .batchFailed, "change records: another change of the batch failed")
            for (index, _) in changes { fail(index, error) }
            return
        }
        let results: [ChangeResult]
        do throws(RecordError) {
            results = try view.modify(
                changes.map(\.change), in: zone.name, atomically: isAtomic)
        } catch {
            // If the changes cannot be made now, the answer still tells why other operations were
            // refused above.
            guard error.code == .unavailable, changes.count < indexes.count else { throw error }
            for (index, _) in changes { fail(index, error) }
            return
        }
        for (place, result) in zip(changes, results) {
            let record = RecordIdentifier(names[place.index], in: zone)
            switch result {
            case .saved(let saved):
                answers[place.index] = RecordAnswer(
                    saved, desiredKeys: request.desiredKeys, keepsSealed: request.keepsSealed)
            case .deleted: answers[place.index] = .deleted(record)
            case .failed(let error, _): fail(place.index, error)
            }
        }
    }

    private func change(_ index: Int, _ type: String) throws(RecordError) -> RecordChange {
        try request.operations[index].change(named: names[index], type: type)
    }

    /// The type of the record that an operation changes, or, if that type cannot be found, the
    /// error with which the operation is refused.
    ///
    /// - Throws: an error that concerns the whole zone.
    private func type(
        _ operation: RecordOperation, _ view: DatabaseView
    ) throws(RecordError) -> Result<String, RecordError> {
        if let type = operation.recordType { return .success(type) }
        // A deletion needs no type.
        guard !operation.kind.isDeletion, let name = operation.recordName else {
            return .success("")
        }
        return try view.records([name], in: operation.zone.name)[0].map(\.type).mapError { error in
            guard error.code == .unknownItem, operation.recordChangeTag == nil else {
                return error
            }
            return RecordError(
                .invalidArguments,
                "save record \(name.told): it does not exist, and needs a recordType to be made")
        }
    }
}
