/// The state of a ``CKRecord``: what was read, and what the program has changed since.
struct RecordState: Sendable {
    /// The record as it was last read or saved; `nil` if it is new, or restored from an archive.
    var base: Record?
    /// The record's data besides its fields; `nil` for a new record.
    var metadata: RecordMetadata?
    /// The fields that were requested; `nil` for all.
    var desiredKeys: Set<String>?
    var changes: [String: Change] = [:]
    /// By field name: why the value that the program has set cannot be saved.
    var refusals: [String: String] = [:]
    var parent: RecordChange.ParentChange?
    /// Makes and keeps the assets that the program asks for; `nil` for a record that was not read
    /// with its fields.
    var shelf: AssetShelf?
    /// The additional state of a ``CKShare``; `nil` for other records.
    var sharing: ShareState?

    /// A change of a field.
    enum Change: Hashable, Sendable {
        case value(RecordValue, isEncrypted: Bool)
        /// Assets, which a save uploads unless the store already has them.
        case assets([CKAsset], isList: Bool)
        case removal(isEncrypted: Bool)

        var isEncrypted: Bool {
            switch self {
            case .value(_, let isEncrypted), .removal(let isEncrypted): isEncrypted
            case .assets: false
            }
        }
    }

    init() {}

    /// A record that was read.
    init(
        _ record: Record, viewer: AccountIdentifier?, _ shelf: AssetShelf?,
        desiredKeys: Set<String>? = nil
    ) {
        (base, self.shelf) = (record, shelf)
        metadata = RecordMetadata(record, viewer: viewer)
        sharing = ShareState(record, (shelf?.source as? KeptAssets)?.core)
        self.desiredKeys = desiredKeys
    }

    /// The owner of each zone that the record names without an owner.
    var home: AccountIdentifier? { metadata?.home }

    private func isDesired(_ key: String) -> Bool { desiredKeys?.contains(key) ?? true }

    /// A field's value as the program gets it; `nil` if there is none, or if `isEncrypted` does not
    /// match the field.
    ///
    /// - Throws: the errors of opening an encrypted field, or an asset.
    func object(
        _ key: String, isEncrypted: Bool
    ) throws(RecordError) -> (any CKRecordValueProtocol)? {
        switch changes[key] {
        case .value(let value, isEncrypted): return value.given(home: home, shelf)
        case .assets(let assets, let isList) where !isEncrypted:
            if isList { return assets }
            return assets.first
        case .some: return nil
        case nil: break
        }
        guard isDesired(key), let base, self.isEncrypted(key) == isEncrypted else { return nil }
        return try base.value(of: key)?.given(home: home, shelf)
    }

    /// Whether the field is encrypted; `nil` if there is no such field.
    private func isEncrypted(_ key: String) -> Bool? {
        switch changes[key] {
        case .value(_, let isEncrypted): return isEncrypted
        case .assets: return false
        case .removal: return nil
        case nil: break
        }
        guard let base else { return nil }
        return base.isEncrypted(key)
    }

    /// Sets the value of a field, or removes it.
    mutating func set(_ value: Any?, _ key: String, isEncrypted: Bool) {
        if let former = self.isEncrypted(key), former != isEncrypted {
            // A plain field has no encrypted value to remove, and an encrypted field has no plain
            // one.
            guard value != nil else { return }
            refusals[key] = "it is \(former ? "encrypted" : "plain"), and cannot be both"
            return
        }
        refusals[key] = nil
        guard let value else {
            changes[key] = .removal(isEncrypted: isEncrypted)
            return
        }
        if !isEncrypted, let assets = Change(assets: value) {
            changes[key] = assets
            return
        }
        do throws(ValueRefusal) {
            let value = try RecordValue.kept(value)
            if isEncrypted, !value.kind.element.isSealable {
                refusals[key] = "references and assets are never encrypted"
            } else {
                changes[key] = .value(value, isEncrypted: isEncrypted)
            }
        } catch { refusals[key] = error.reason }
    }

    /// The names of the fields that have a value, in order.
    func keys(isEncrypted: Bool) -> [String] {
        var keys = Set<String>()
        if let base {
            for field in base.fields where field.isEncrypted == isEncrypted && isDesired(field.name)
            {
                keys.insert(field.name)
            }
        }
        for (key, change) in changes {
            switch change {
            case .value(_, isEncrypted): keys.insert(key)
            case .assets where !isEncrypted: keys.insert(key)
            default: keys.remove(key)
            }
        }
        return keys.sorted()
    }

    /// The names of the fields that changed since the record was read or saved, in order.
    func changedKeys(isEncrypted: Bool) -> [String] {
        changes.filter { $0.value.isEncrypted == isEncrypted }.keys.sorted()
    }
}

/// The data of a record besides its fields.
struct RecordMetadata: Hashable, Sendable {
    let tag: ChangeTag
    let stamps: RecordStamps
    let parent: RecordIdentifier?
    /// The owner of each zone that the record names without an owner.
    ///
    /// This is nobody in the public database, and otherwise the reader, even if the record is in a
    /// zone of another user.
    let home: AccountIdentifier?
    /// The account that read the record.
    let viewer: AccountIdentifier?
    /// The name of the record's share, or of the share of its zone; `nil` for none.
    let share: String?

    init(
        _ tag: ChangeTag, _ stamps: RecordStamps, parent: RecordIdentifier?,
        home: AccountIdentifier?, viewer: AccountIdentifier?, share: String?
    ) {
        self.share = share
        (self.tag, self.stamps, self.parent) = (tag, stamps, parent)
        (self.home, self.viewer) = (home, viewer)
    }

    init(_ record: Record, viewer: AccountIdentifier?) {
        self.init(
            record.tag, record.stamps, parent: record.parent,
            home: record.identifier.zone.owner == nil ? nil : viewer, viewer: viewer,
            share: record.share)
    }
}
