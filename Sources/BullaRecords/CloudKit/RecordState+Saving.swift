extension RecordState {
    /// The change to request from the core.
    ///
    /// - Parameters:
    ///   - home: the owner of the database to which the record is saved.
    ///   - uploads: the results of uploading the fields' assets.
    /// - Throws: `invalidArguments` for values that no field can hold. The policy `allKeys` also
    ///   saves the fields that were read: with it, the call also throws the errors of opening these
    ///   fields.
    func change(
        _ id: CKRecordID, _ type: String, _ policy: CKModifyRecordsOperation.RecordSavePolicy,
        home: AccountIdentifier?, _ uploads: AssetUploads
    ) throws(RecordError) -> RecordChange {
        if let (key, reason) = refusals.min(by: { $0.key < $1.key }) {
            throw RecordError(
                .invalidArguments, "save record \(id.recordName.told): \(key.told): \(reason)")
        }
        var fields: [String: RecordChange.FieldChange?] = [:]
        if policy == .allKeys { fields = try allFields() }
        for (key, change) in changes {
            switch change {
            case .value(let value, let isEncrypted):
                fields[key] = RecordChange.FieldChange(
                    value.resolved(home: home), isEncrypted: isEncrypted)
            case .assets(let assets, let isList):
                let place = AssetUploads.Place(record: id, key: key)
                fields[key] = RecordChange.FieldChange(
                    try uploads.value(assets, isList: isList, of: place))
            case .removal: fields[key] = .some(nil)
            }
        }
        let save = RecordChange.Save(
            type, condition(policy), fields: fields, parent: parent?.resolved(home: home),
            participants: try sharing?.wanted(), root: sharing?.root?.recordName,
            invitations: try sharing?.wantedInvitations())
        return RecordChange(id.recordName, .save(save))
    }

    private func condition(
        _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) -> RecordChange.Condition {
        guard policy == .ifServerRecordUnchanged else { return .none }
        return metadata.map { .isUnchanged($0.tag) } ?? .isNew
    }

    /// The fields as they were read.
    private func allFields() throws(RecordError) -> [String: RecordChange.FieldChange?] {
        var fields: [String: RecordChange.FieldChange?] = [:]
        guard let base else { return [:] }
        for field in base.fields where desiredKeys?.contains(field.name) ?? true {
            fields[field.name] = try base.value(of: field.name).map {
                RecordChange.FieldChange($0, isEncrypted: field.isEncrypted)
            }
        }
        return fields
    }

    /// Adopts the saved state; changes made during the save remain to be saved.
    ///
    /// - Parameter sent: this state as it was when the save began.
    mutating func settle(_ sent: RecordState, _ saved: Record, _ view: any RecordDatabase) {
        changes = changes.filter { key, change in sent.changes[key] != change }
        if parent == sent.parent { parent = nil }
        base = saved
        let source = view.assets(of: saved)
        let core = (source as? KeptAssets)?.core
        if let former = sent.sharing { sharing?.settle(former, saved, core) }
        metadata = RecordMetadata(saved, viewer: view.viewer)
        let isKept = shelf.map { $0.source === source || view.has(assetsOf: $0.source) }
        if isKept != true { shelf = AssetShelf(source) }
        desiredKeys?.formUnion(sent.changes.keys)
    }
}

extension RecordChange.ParentChange {
    func resolved(home: AccountIdentifier?) -> Self {
        switch self {
        case .none: .none
        case .record(let record): .record(record.resolved(home: home))
        }
    }
}
