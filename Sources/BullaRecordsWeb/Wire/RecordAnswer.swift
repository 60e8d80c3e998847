package import BullaRecords

/// A record in an answer, or what the answer has in its place.
package enum RecordAnswer: Sendable {
    case record(AnsweredRecord)
    /// A deleted record, with its type if the request asked for types.
    case deleted(RecordIdentifier, type: String? = nil)
    /// An error for a record, whose name is `nil` if the request gave none.
    case failed(recordName: String?, WebError)
}

/// A record, with the values that an answer gives for it.
package struct AnsweredRecord: Sendable {
    /// When a record was created or changed, by whom, and on which device.
    package struct Stamp: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 in UTC.
        package let timestamp: Int64
        /// `nil` for a server that signed its request.
        package let userRecordName: String?
        package let deviceID: String

        package init(timestamp: Int64, userRecordName: String?, deviceID: String) {
            self.timestamp = timestamp
            self.userRecordName = userRecordName
            self.deviceID = deviceID
        }
    }

    package let record: RecordIdentifier
    package let type: String
    package let changeTag: String
    package var fields: [WireField]
    package let created: Stamp
    package let modified: Stamp
    /// The name of the record's parent, which is in the same zone.
    package var parent: String?
    /// The share of the record, or of its zone; see ``Record/share``.
    package var share: RecordIdentifier?
    /// The participants, if the record is a share.
    package var sharing: ZoneSharing?
    /// If the record is a share and the answer is for its owner, the tokens of the invitations that
    /// nobody has taken.
    package var invitations: [RandomIdentifier: String] = [:]
    /// What a client has read about the share, if the record is a share.
    package var toldShare: ToldShare?

    package init(
        _ record: RecordIdentifier, type: String, changeTag: String, fields: [WireField],
        created: Stamp, modified: Stamp
    ) {
        self.record = record
        self.type = type
        self.changeTag = changeTag
        self.fields = fields
        self.created = created
        self.modified = modified
    }
}

/// Printing shows only the name and the type, because a share has the tokens of invitations.
extension AnsweredRecord: Untold {
    package var description: String { "record \(record.name), a \(type)" }
}

extension RecordAnswer {
    func append(to writer: inout JSONWriter, _ form: AnswerForm) {
        switch self {
        case .record(let record): record.append(to: &writer, form)
        case .deleted(let record, let type):
            writer.beginObject()
            writer.member("recordName", record.name)
            if let type { writer.member("recordType", type) }
            writer.member("deleted", true)
            writer.key("zoneID")
            writer.zone(record.zone)
            writer.endObject()
        case .failed(let name, let error): error.appendItem(recordName: name, to: &writer)
        }
    }
}

extension AnsweredRecord {
    fileprivate func append(to writer: inout JSONWriter, _ form: AnswerForm) {
        for field in fields {
            guard let value = field.value, !FieldWriter.isSayable(value) else { continue }
            let error = WebError(
                .internalError, "field \(field.name) holds a number that JSON has no text for")
            return error.appendItem(recordName: record.name, to: &writer)
        }
        writer.beginObject()
        writer.member("recordName", record.name)
        writer.member("recordType", type)
        writer.key("fields")
        FieldWriter(form: form, record: record).append(fields, to: &writer)
        writer.member("recordChangeTag", changeTag)
        append("created", created, to: &writer)
        append("modified", modified, to: &writer)
        writer.member("deleted", false)
        writer.key("zoneID")
        writer.zone(record.zone)
        if let parent {
            // Strict clients accept no zone here.
            writer.key("parent")
            writer.beginObject()
            writer.member("recordName", parent)
            writer.endObject()
        }
        if let share {
            writer.key("share")
            writer.beginObject()
            writer.member("recordName", share.name)
            writer.key("zoneID")
            writer.zone(share.zone)
            writer.endObject()
        }
        if let sharing { writer.share(sharing, invitations, form) }
        writer.endObject()
    }

    private func append(_ key: String, _ stamp: Stamp, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        writer.member("timestamp", stamp.timestamp)
        if let name = stamp.userRecordName { writer.member("userRecordName", name) }
        writer.member("deviceID", stamp.deviceID)
        writer.endObject()
    }
}
