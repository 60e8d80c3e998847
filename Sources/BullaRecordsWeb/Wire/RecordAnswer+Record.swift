package import BullaRecords

extension RecordAnswer {
    /// A record with the requested fields, or the error if one of these cannot be opened.
    ///
    /// - Parameters:
    ///   - desiredKeys: the names of the requested fields; `nil` for all.
    ///   - keepsSealed: whether the values that are sealed for users stay sealed.
    package init(
        _ record: Record, desiredKeys: Set<String>? = nil, keepsSealed: Bool = false
    ) {
        do throws(RecordError) {
            self = .record(
                try AnsweredRecord(
                    record, desiredKeys: desiredKeys,
                    sealed: keepsSealed ? record.sealedFields : []))
        } catch {
            self = .failed(recordName: record.identifier.name, WebError(error))
        }
    }
}

extension AnsweredRecord {
    /// - Throws: `damaged` if a field cannot be opened.
    fileprivate init(
        _ record: Record, desiredKeys: Set<String>?, sealed: Set<String>
    ) throws(RecordError) {
        var fields: [WireField] = []
        for (name, kind, isEncrypted) in record.fields.sorted(by: { $0.name < $1.name })
        where desiredKeys?.contains(name) ?? true {
            fields.append(
                sealed.contains(name)
                    ? WireField(name, sealed: kind, isEncrypted: isEncrypted)
                    : WireField(name, try record.value(of: name), isEncrypted: isEncrypted))
        }
        self.init(
            record.identifier, type: record.type, changeTag: record.tag.text, fields: fields,
            created: Stamp(record.stamps.created), modified: Stamp(record.stamps.modified))
        parent = record.parent?.name
        sharing = record.isShare ? record.sharing : nil
        invitations = record.invitations
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
