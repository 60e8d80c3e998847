package import BullaRecords

extension RecordAnswer {
    /// A record with the requested fields; if a field cannot be opened, the error.
    ///
    /// - Parameter desiredKeys: `nil` for all.
    package init(_ record: Record, desiredKeys: Set<String>? = nil) {
        do throws(RecordError) {
            self = .record(try AnsweredRecord(record, desiredKeys: desiredKeys))
        } catch {
            self = .failed(recordName: record.identifier.name, WebError(error))
        }
    }
}

extension AnsweredRecord {
    /// - Throws: `damaged` if a field cannot be opened.
    fileprivate init(_ record: Record, desiredKeys: Set<String>?) throws(RecordError) {
        var fields: [WireField] = []
        for (name, _, isEncrypted) in record.fields.sorted(by: { $0.name < $1.name })
        where desiredKeys?.contains(name) ?? true {
            fields.append(
                WireField(name, try record.value(of: name), isEncrypted: isEncrypted))
        }
        self.init(
            record.identifier, type: record.type, changeTag: record.tag.text, fields: fields,
            created: Stamp(record.stamps.created), modified: Stamp(record.stamps.modified))
        parent = record.parent?.name
        sharing = record.isShare ? record.sharing : nil
        share = record.share.map { RecordIdentifier($0, in: record.identifier.zone) }
    }
}

extension AnsweredRecord.Stamp {
    init(_ stamp: RecordStamps.Stamp) {
        self.init(
            timestamp: stamp.time, userRecordName: stamp.account?.userRecordName,
            deviceID: stamp.device)
    }
}
