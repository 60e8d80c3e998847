import BullaRecords

extension WebCall {
    /// Reads records by name, in the order of the request.
    func lookUpRecords(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try LookupRequest(value, context)
        let form = form(
            numbersAsStrings: request.numbersAsStrings, hasInvitations: request.hasInvitations)
        var zones: [ZoneIdentifier] = []
        var indexes: [ZoneIdentifier: [Int]] = [:]
        for (index, item) in request.items.enumerated() {
            if indexes[item.record.zone] == nil { zones.append(item.record.zone) }
            indexes[item.record.zone, default: []].append(index)
        }
        var answers: [RecordAnswer?] = request.items.map { _ in nil }
        for zone in zones {
            let indexes = indexes[zone] ?? []
            let found: [Result<Record, RecordError>]
            do throws(RecordError) {
                found = try self.zones(like: zone).records(
                    indexes.map { request.items[$0].record.name }, in: zone.name)
            } catch {
                guard zones.count > 1 else { throw error }
                found = indexes.map { _ in .failure(error) }
            }
            for (index, result) in zip(indexes, found) {
                answers[index] = RecordAnswer(result, request.items[index], request.keepsSealed)
            }
        }
        return RecordsAnswer(answers.compactMap { $0 }).bytes(
            within: limits.answerByteCount, form
        ) { record in
            let error = RecordError(
                .limitExceeded, "read the record: the answer is full; ask for fewer at once")
            return .failed(recordName: record.record.name, WebError(error))
        }
    }

    /// A page of the records of one type that meet the query's conditions.
    ///
    /// A page that would exceed the answer's size limit gets fewer records, and a mark with which
    /// the client can continue after the last of these.
    func queryRecords(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try QueryRequest(value, context)
        guard let zone = request.zone else {
            throw RecordError(.invalidArguments, "look for records: a query must name one zone")
        }
        let zones = try self.zones(like: zone)
        let form = form(
            numbersAsStrings: request.numbersAsStrings, hasInvitations: request.hasInvitations)
        var count = request.resultsLimit
        while true {
            let page = try zones.query(
                request.query, in: zone.name, after: request.continuationMarker, limit: count)
            let records =
                page.records.map { record in
                    RecordAnswer(
                        record, desiredKeys: request.desiredKeys, keepsSealed: request.keepsSealed)
                }
                + page.failures.map { .failed(recordName: $0.name, WebError($0.error)) }
            let answer = RecordsAnswer(records, continuationMarker: page.mark)
            let bytes = answer.bytes(form)
            guard bytes.count > limits.answerByteCount, page.records.count > 1 else {
                return bytes
            }
            count = answer.count(within: limits.answerByteCount, form, of: page.records.count)
        }
    }
}

extension RecordAnswer {
    fileprivate init(
        _ result: Result<Record, RecordError>, _ item: LookupRequest.Item, _ keepsSealed: Bool
    ) {
        switch result {
        case .success(let record):
            self.init(record, desiredKeys: item.desiredKeys, keepsSealed: keepsSealed)
        case .failure(let error): self = .failed(recordName: item.record.name, WebError(error))
        }
    }
}
