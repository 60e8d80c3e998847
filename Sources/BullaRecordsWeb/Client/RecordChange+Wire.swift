import BullaRecords

extension RecordChange {
    /// Writes the operation that makes the change; ``RecordOperation/change(named:type:)`` converts
    /// it back.
    func append(to writer: inout JSONWriter, _ fields: FieldWriter) {
        writer.beginObject()
        switch kind {
        case .delete(let condition): append(condition, to: &writer)
        case .save(let save): append(save, to: &writer, fields)
        }
        writer.endObject()
    }

    private func append(_ condition: Condition, to writer: inout JSONWriter) {
        var kind = RecordOperation.Kind.forceDelete
        if case .isUnchanged = condition { kind = .delete }
        writer.member("operationType", kind.rawValue)
        writer.key("record")
        writer.beginObject()
        writer.member("recordName", name)
        writer.member(condition)
        writer.endObject()
    }

    private func append(_ save: Save, to writer: inout JSONWriter, _ fields: FieldWriter) {
        let kind: RecordOperation.Kind =
            switch save.condition {
            case .isNew: .create
            case .isUnchanged: save.isReplacing ? .replace : .update
            case .none: save.isReplacing ? .forceReplace : .forceUpdate
            }
        writer.member("operationType", kind.rawValue)
        writer.key("record")
        writer.beginObject()
        writer.member("recordName", name)
        writer.member("recordType", save.type)
        writer.member(save.condition)
        writer.key("fields")
        writer.beginObject()
        for (name, change) in save.fields.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            if let change { fields.append(change, to: &writer) } else { writer.removedField() }
        }
        writer.endObject()
        switch save.parent {
        case nil: break
        case .some(.none):
            writer.key("parent")
            writer.null()
        case .record(let record):
            writer.key("parent")
            RecordReference(record).append(to: &writer)
        }
        appendShare(save, to: &writer)
        writer.endObject()
    }

    /// Writes the changes that only the record of a share can have.
    private func appendShare(_ save: Save, to writer: inout JSONWriter) {
        if let root = save.root {
            writer.key("forRecord")
            writer.beginObject()
            writer.member("recordName", root)
            writer.endObject()
        }
        if let participants = save.participants {
            let sorted = participants.sorted { $0.key.userRecordName < $1.key.userRecordName }
            writer.list("participants", sorted) { participant, writer in
                writer.beginObject()
                writer.key("userIdentity")
                writer.userIdentity(participant.key)
                writer.member("permission", participant.value.wireName)
                writer.endObject()
            }
        }
        if let invitations = save.invitations {
            let sorted = invitations.sorted { $0.key.text < $1.key.text }
            writer.list(WireInvitation.listKey, sorted) { invitation, writer in
                WireInvitation.append(
                    invitation.key, invitation.value, token: nil, to: &writer)
            }
        }
    }

    /// The name of a field with a value that JSON cannot express; `nil` if there is none.
    package var unsayableField: String? {
        guard case .save(let save) = kind else { return nil }
        return save.fields.first { _, change in
            change.map { !FieldWriter.isSayable($0.value) } ?? false
        }?.key
    }
}

extension FieldWriter {
    fileprivate func append(_ field: RecordChange.FieldChange, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("value")
        append(field.value, to: &writer)
        writer.member("type", field.value.kind.wireName)
        if field.isEncrypted { writer.member("isEncrypted", true) }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func removedField() {
        beginObject()
        key("value")
        null()
        endObject()
    }

    fileprivate mutating func member(_ condition: RecordChange.Condition) {
        if case .isUnchanged(let tag) = condition { member("recordChangeTag", tag.text) }
    }
}
