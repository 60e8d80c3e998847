/// Merges a requested change with the present record, to make the record's next version.
struct RecordMerge {
    private let view: DatabaseView
    private let time: Int64
    private let zone: ZoneState
    private let current: Record?

    init(_ view: DatabaseView, _ time: Int64, _ zone: ZoneState, _ current: Record?) {
        (self.view, self.time, self.zone, self.current) = (view, time, zone, current)
    }

    /// The record after the requested save.
    func draft(_ save: RecordChange.Save, _ name: String) throws(RecordError) -> RecordDraft {
        if let current, current.type != save.type {
            throw RecordError(
                .invalidArguments,
                "save record \(name): it is of type \(current.type), not \(save.type)")
        }
        var fields = save.isReplacing ? [:] : currentFields
        for (field, change) in save.fields {
            guard let change else {
                fields[field] = nil
                continue
            }
            try check(change, field, name)
            fields[field] = change.isEncrypted ? .encrypted(change.value) : .plain(change.value)
        }
        var draft = try next(name, save.type, fields)
        switch save.parent {
        case .record(let parent): draft.parent = parent
        case .some(.none): draft.parent = nil
        // A replacing save that names no parent removes the parent, unless the caller does not see
        // it and so cannot name it.
        case nil where save.isReplacing && current?.hidesParent != true: draft.parent = nil
        case nil: draft.parent = current?.opened.record.parent
        }
        return draft
    }

    /// The record with a new tag and otherwise unchanged.
    func touched() throws(RecordError) -> RecordDraft {
        guard let current else { preconditionFailure("a touched record exists") }
        var draft = try next(current.identifier.name, current.type, currentFields)
        draft.parent = current.opened.record.parent
        draft.stamps.modified = current.stamps.modified
        return draft
    }

    private var currentFields: [String: RecordField] {
        guard let current else { return [:] }
        var fields = current.opened.plain.mapValues { RecordField.plain($0) }
        for (name, _) in current.opened.record.encryptedFields { fields[name] = .kept }
        return fields
    }

    /// Checks that an encrypted field stays encrypted, and a plain one stays plain.
    private func check(
        _ change: RecordChange.FieldChange, _ field: String, _ name: String
    ) throws(RecordError) {
        guard let former = current?.fields.first(where: { $0.name == field }),
            former.isEncrypted != change.isEncrypted
        else { return }
        throw RecordError(
            .invalidArguments,
            "save record \(name): field \(field) is "
                + (former.isEncrypted ? "encrypted, and stays so" : "not encrypted, and stays so"))
    }

    private func next(
        _ name: String, _ type: String, _ fields: [String: RecordField]
    ) throws(RecordError) -> RecordDraft {
        let stamp = RecordStamps.Stamp(time: time, account: view.session.account)
        let incarnation =
            if let current { current.opened.record.incarnation } else {
                try RandomIdentifier.new()
            }
        var draft = RecordDraft(
            name, type: type, fields: fields,
            stamps: RecordStamps(created: current?.stamps.created ?? stamp, modified: stamp),
            tag: try .new(), incarnation: incarnation, schemaVersion: 0)
        draft.formerTag = current?.tag
        draft.traces = current?.opened.record.traces ?? []
        return draft
    }
}

extension ChangeTag {
    /// A tag that no other version has.
    static func new() throws(RecordError) -> ChangeTag {
        let bytes = try RandomIdentifier.new().bytes
        guard let tag = ChangeTag(bytes: Array(bytes.prefix(byteCount))) else {
            preconditionFailure("an identifier is longer than a tag")
        }
        return tag
    }
}

extension RecordDraft {
    /// The shapes of the draft's fields, including those that stay as they are in `current`.
    func shapes(_ current: Record?) -> [String: FieldShape] {
        var shapes: [String: FieldShape] = [:]
        shapes.reserveCapacity(fields.count)
        for (name, field) in fields {
            switch field {
            case .plain(let value): shapes[name] = FieldShape(value.kind)
            case .encrypted(let value): shapes[name] = FieldShape(value.kind, isEncrypted: true)
            case .kept:
                shapes[name] = current?.opened.record.field(name).map {
                    FieldShape($0.kind, isEncrypted: $0.kind.element != .asset)
                }
            }
        }
        return shapes
    }
}
