/// One life of a zone, from its creation to its deletion, with the keys of one reader.
struct ZoneState: Sendable {
    let head: StoredZone
    let life: ZoneLife
    /// `nil` in the public database.
    let keyring: ZoneKeyring?
    /// The reader as a participant; `nil` for the zone's owner, and in the public database.
    let participant: ShareParticipant?
    let core: RecordCore
    private let keys: AccountKeys?

    private init(
        _ head: StoredZone, _ core: RecordCore, _ keys: AccountKeys?, _ keyring: ZoneKeyring?,
        _ participant: ShareParticipant? = nil
    ) {
        (self.head, life, self.core, self.keys) = (head, ZoneLife(head), core, keys)
        (self.keyring, self.participant) = (keyring, participant)
    }

    /// A zone of its owner's private database.
    init(_ head: StoredZone, _ core: RecordCore, _ keys: AccountKeys) throws(RecordError) {
        let keyring = try ZoneKeyring(head.keys, head.identifier, head.incarnation, core.container)
        guard !keyring.isReset, keyring.accountEpoch == keys.epoch else {
            throw RecordError(
                .encryptedDataReset,
                "use zone \(head.name): its owner's keys were reset; delete it and make it again")
        }
        try Self.check(head, keyring, core.container)
        self.init(head, core, keys, keyring)
    }

    /// A zone that its owner shares with the account.
    ///
    /// - Parameter mayBePending: whether the account may still have to accept.
    /// - Throws: `zoneNotFound` if the owner does not share it, or no longer does, or if the
    ///   account's keys were reset since.
    init(
        shared head: StoredZone, _ core: RecordCore, _ keys: AccountKeys,
        mayBePending: Bool = false
    ) throws(RecordError) {
        let keyring = try ZoneKeyring(head.keys, head.identifier, head.incarnation, core.container)
        guard !keyring.isReset, let participant = keyring.share?.participants[keys.account],
            participant.accountEpoch == keys.epoch,
            mayBePending || participant.acceptance == .accepted
        else { throw DatabaseView.notFound(head.name) }
        try Self.check(head, keyring, core.container)
        self.init(head, core, keys, keyring, participant)
    }

    private static func check(
        _ head: StoredZone, _ keyring: ZoneKeyring, _ container: ContainerKeys
    ) throws(RecordError) {
        guard head.epoch == keyring.newestEpoch else {
            throw RecordError(
                .damaged, "use zone \(head.name): its head does not have its keys' newest epoch")
        }
        try HeadSeal.check(head, container)
    }

    /// A zone of the public database.
    init(public head: StoredZone, _ core: RecordCore) throws(RecordError) {
        try HeadSeal.check(head, core.container)
        self.init(head, core, nil, nil)
    }

    var identifier: ZoneIdentifier { head.identifier }

    /// The participants; `nil` if the zone is not shared.
    var sharing: ZoneSharing? {
        guard let owner = head.database.owner, let share = keyring?.share else { return nil }
        return ZoneSharing(owner, head.incarnation, share)
    }

    /// Checks that the reader may change records.
    ///
    /// - Throws: `permissionFailure` for a participant who may only read.
    func checkWrite() throws(RecordError) {
        guard participant?.permission != .readOnly else {
            throw RecordError(
                .permissionFailure, "change zone \(head.name): its owner lets you only read it")
        }
    }

    /// The sealer for new versions of records.
    func sealer() throws(RecordError) -> RecordSealer { try sealer(epoch: head.epoch) }

    private func sealer(epoch: UInt32) throws(RecordError) -> RecordSealer {
        guard let keyring, let keys else {
            return RecordSealer(publicZone: head.incarnation, core.container, core.items)
        }
        let wraps = participant?.wraps ?? keyring.wraps
        guard let wrap = wraps[epoch] else {
            throw RecordError(.damaged, "use zone \(head.name): it has no key of epoch \(epoch)")
        }
        let scope = SealScope(head.database, zone: head.incarnation, epoch: epoch)
        let key =
            if participant == nil {
                try keys.zoneKey(scope, wrap: wrap)
            } else {
                try keys.sharedZoneKey(scope, wrap: wrap) { () throws(RecordError) in
                    try ownerKeys(keyring)
                }
            }
        return RecordSealer(key, core.container, core.items)
    }

    /// The owner's entry in the directory, with the keys that signed the wraps.
    private func ownerKeys(_ keyring: ZoneKeyring) throws(RecordError) -> AccountPublicKeys {
        let entry = try head.database.owner.flatMap { owner throws(RecordError) in
            try core.directory.entry(of: owner)
        }
        guard let entry, entry.epoch >= keyring.accountEpoch else {
            throw RecordError(
                .damaged, "use zone \(head.name): its owner's public keys are missing")
        }
        // The owner's keys were reset, and the zone's keys are about to be removed.
        guard entry.epoch == keyring.accountEpoch else { throw DatabaseView.notFound(head.name) }
        return entry
    }

    /// Opens the bytes that the backend stores under a record's name.
    func record(_ bytes: [UInt8], _ name: String) throws(RecordError) -> Record {
        guard let sealed = SealedRecord(bytes) else {
            throw RecordError(.damaged, "read record \(name): the stored bytes are malformed")
        }
        guard keyring == nil || sealed.epoch <= head.epoch else {
            return try inEpoch(sealed.epoch).record(bytes, name)
        }
        let opened = try sealer(epoch: sealed.epoch).open(sealed, name: name)
        return record(opened, name)
    }

    /// The same life of the zone, read again: a new epoch may have begun after the head was read,
    /// and before a record was read.
    private func inEpoch(_ epoch: UInt32) throws(RecordError) -> ZoneState {
        let fresh = try core.head(named: head.name, in: head.database)
        guard let keys, let fresh, fresh.incarnation == head.incarnation, fresh.epoch >= epoch
        else {
            throw RecordError(.damaged, "use zone \(head.name): it has no key of epoch \(epoch)")
        }
        return participant == nil
            ? try ZoneState(fresh, core, keys) : try ZoneState(shared: fresh, core, keys)
    }

    /// An opened record in its reader's form.
    func record(_ opened: OpenedRecord, _ name: String) -> Record {
        Record(RecordIdentifier(name, in: identifier), opened, sharing)
    }
}
