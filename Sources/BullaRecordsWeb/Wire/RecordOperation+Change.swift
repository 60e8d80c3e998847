package import BullaRecords

extension RecordOperation {
    /// The change that the core is to make for this operation.
    ///
    ///     operation      made if                       fields that the request omits
    ///     create         there is no such record
    ///     update         the record has the tag        stay
    ///     forceUpdate    always                        stay
    ///     replace        the record has the tag        go
    ///     forceReplace   always                        go
    ///     delete         the record has the tag
    ///     forceDelete    always
    ///
    /// Without a tag, `update` and `replace` are made only if there is no such record, and `delete`
    /// is always made.
    ///
    /// - Parameters:
    ///   - name: the record's name; if the request gives none, one that the service made.
    ///   - type: the record's type; if the request gives none, that of the existing record.
    /// - Throws: ``fault``, if the operation has one; `recordChanged` if the request's tag is
    ///   malformed.
    package func change(named name: String, type: String) throws(RecordError) -> RecordChange {
        if let fault { throw fault }
        let condition = try condition(name)
        guard !kind.isDeletion else { return RecordChange(name, .delete(condition)) }
        var changes: [String: RecordChange.FieldChange?] = [:]
        changes.reserveCapacity(fields.count)
        for field in fields {
            let change = field.value.map {
                RecordChange.FieldChange($0, isEncrypted: field.isEncrypted)
            }
            changes.updateValue(change, forKey: field.name)
        }
        let save = RecordChange.Save(
            type, condition, isReplacing: kind == .replace || kind == .forceReplace,
            fields: changes, parent: parentChange, participants: share?.participants,
            root: share?.root, invitations: share?.invitations)
        return RecordChange(name, .save(save))
    }

    private func condition(_ name: String) throws(RecordError) -> RecordChange.Condition {
        switch kind {
        case .create: return .isNew
        case .forceUpdate, .forceReplace, .forceDelete: return .none
        case .update, .replace, .delete: break
        }
        guard let recordChangeTag else { return kind.isDeletion ? .none : .isNew }
        guard let tag = ChangeTag(text: recordChangeTag) else {
            throw RecordError(.recordChanged, "change record \(name.told): it never had this tag")
        }
        return .isUnchanged(tag)
    }

    private var parentChange: RecordChange.ParentChange? {
        switch parent {
        case .keep: nil
        case .remove: RecordChange.ParentChange.none
        case .set(let record): .record(record)
        }
    }
}
