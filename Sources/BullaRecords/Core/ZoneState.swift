/// One life of a zone, from its creation to its deletion, with the keys of one reader.
struct ZoneState: Sendable {
    let head: StoredZone
    let life: ZoneLife
    /// `nil` in the public database.
    let keyring: ZoneKeyring?
    /// The reader as a participant of the whole zone's share; `nil` for the zone's owner, for
    /// participants of shares of records, and in the public database.
    let participant: ShareParticipant?
    /// The reader as a participant of shares of records, if the reader sees nothing else of the
    /// zone; otherwise `nil`.
    let reach: [RandomIdentifier: ShareParticipant]?
    let core: RecordCore
    private let keys: AccountKeys?

    private init(
        _ head: StoredZone, _ core: RecordCore, _ keys: AccountKeys?, _ keyring: ZoneKeyring?,
        _ participant: ShareParticipant? = nil, reach: [RandomIdentifier: ShareParticipant]? = nil
    ) {
        (self.head, life, self.core, self.keys) = (head, ZoneLife(head), core, keys)
        (self.keyring, self.participant, self.reach) = (keyring, participant, reach)
    }

    /// A zone in its owner's private database.
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

    /// A zone that its owner shares with the account, as a whole or in part.
    ///
    /// - Parameter pending: the zone's share, or a record's share, that counts even if the account
    ///   has not accepted it.
    /// - Throws: `zoneNotFound` if the owner does not share the zone with the account, or no longer
    ///   does; also if no share counts, because the account has not accepted any, or because the
    ///   account's keys were reset after it was added.
    init(
        shared head: StoredZone, _ core: RecordCore, _ keys: AccountKeys,
        pending: ShareTarget? = nil
    ) throws(RecordError) {
        let keyring = try ZoneKeyring(head.keys, head.identifier, head.incarnation, core.container)
        func takesPart(_ one: ShareParticipant, _ share: ShareTarget) -> Bool {
            one.accountEpoch == keys.epoch && (pending == share || one.acceptance == .accepted)
        }
        let participant = keyring.share?.participants[keys.account]
            .flatMap { takesPart($0, .zone) ? $0 : nil }
        var reach: [RandomIdentifier: ShareParticipant] = [:]
        for (identifier, share) in keyring.shares where !share.isEnding {
            guard let one = share.members.participants[keys.account],
                takesPart(one, .record(identifier))
            else { continue }
            reach[identifier] = one
        }
        guard !keyring.isReset, participant != nil || !reach.isEmpty else {
            throw DatabaseView.notFound(head.name)
        }
        try Self.check(head, keyring, core.container)
        self.init(head, core, keys, keyring, participant, reach: participant == nil ? reach : nil)
    }

    /// A zone as the bearer of an invitation's secret sees it.
    ///
    /// - Parameter bearer: the keys derived from the secret.
    /// - Throws: `zoneNotFound` if the zone has no such invitation, or the invitation has expired.
    init(
        invited head: StoredZone, _ core: RecordCore, _ bearer: AccountKeys, to target: ShareTarget
    ) throws(RecordError) {
        let keyring = try ZoneKeyring(head.keys, head.identifier, head.incarnation, core.container)
        guard !keyring.isReset,
            let invitation = keyring.invitation(bearer.account.identifier, to: target),
            invitation.expiry > core.clock(),
            invitation.agreement == bearer.publicKeys.agreement
        else { throw DatabaseView.notFound(head.name) }
        try Self.check(head, keyring, core.container)
        let participant = ShareParticipant(
            accountEpoch: bearer.epoch, invitation.permission, wraps: invitation.wraps)
        switch target {
        case .zone: self.init(head, core, bearer, keyring, participant)
        case .record(let share):
            self.init(head, core, bearer, keyring, reach: [share: participant])
        }
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

    /// Whether the reader is the zone's owner, who alone changes its shares; also true in the
    /// public database, which has no shares.
    var isOwned: Bool { participant == nil && reach == nil }

    /// The shares of records, except shares that have ended.
    var liveShares: [RandomIdentifier: RecordShare] {
        keyring?.shares.filter { !$0.value.isEnding } ?? [:]
    }

    /// The reader as a participant of a share; `nil` for the owner, and for a share in which the
    /// reader takes no part.
    func member(of target: ShareTarget) -> ShareParticipant? {
        switch target {
        case .zone: participant
        case .record(let share): reach?[share]
        }
    }

    /// Checks that the reader may change records.
    ///
    /// - Throws: `permissionFailure` for a participant who may only read.
    func checkWrite() throws(RecordError) {
        let mayWrite =
            reach?.values.contains { $0.permission == .readWrite }
            ?? (participant?.permission != .readOnly)
        guard mayWrite else {
            throw RecordError(
                .permissionFailure, "change zone \(head.name): its owner lets you only read it")
        }
    }

    /// Opens the bytes that the backend stores under a record's name.
    ///
    /// - Throws: `damaged`; `unknownItem` if the record is not shared with the reader.
    func record(_ bytes: [UInt8], _ name: String) throws(RecordError) -> Record {
        guard let sealed = SealedRecord(bytes) else {
            throw RecordError(.damaged, "read record \(name): the stored bytes are malformed")
        }
        guard sees(sealed) else { throw DatabaseView.unknown(name) }
        guard keyring == nil || hasKey(of: sealed) else {
            return try fresh(for: sealed).record(bytes, name)
        }
        let opened = try sealer(epoch: sealed.epoch, in: sealed.share).open(sealed, name: name)
        return record(opened, name)
    }

    /// Whether the reader may open a record, according to the record's unsealed part.
    ///
    /// Only opening the record proves that this part is true.
    func sees(_ record: SealedRecord) -> Bool {
        guard let reach else { return true }
        return record.share.map { reach[$0] != nil } ?? false
    }

    private func hasKey(of record: SealedRecord) -> Bool {
        guard let share = record.share else { return record.epoch <= head.epoch }
        return record.epoch <= (keyring?.shares[share]?.newestEpoch ?? 0)
    }

    /// Reads the same life of the zone again, because a new epoch may have begun after the head was
    /// read, but before the record was read.
    private func fresh(for record: SealedRecord) throws(RecordError) -> ZoneState {
        let fresh = try core.head(named: head.name, in: head.database)
        let missing = RecordError(
            .damaged, "use zone \(head.name): it has no key of epoch \(record.epoch)")
        guard let keys, let fresh, fresh.incarnation == head.incarnation else { throw missing }
        let state =
            isOwned ? try ZoneState(fresh, core, keys) : try ZoneState(shared: fresh, core, keys)
        guard state.hasKey(of: record) else { throw missing }
        return state
    }

    /// An opened record, as the reader gets it.
    func record(_ opened: OpenedRecord, _ name: String) -> Record {
        let sharing = sharing(as: opened.record.share.map { .record($0) } ?? .zone)
        return Record(
            RecordIdentifier(name, in: identifier), opened, sharing,
            invitations: opened.record.type == SystemType.share ? tokens(opened.record.share) : [:],
            hidesParent: reach != nil && sharing?.root == name)
    }

    /// The tokens of a share's invitations that nobody has taken; empty unless the reader is the
    /// owner.
    private func tokens(_ share: RandomIdentifier?) -> [RandomIdentifier: String] {
        let target = share.map { ShareTarget.record($0) } ?? .zone
        guard isOwned, let keys, let sharing = sharing(as: target) else { return [:] }
        var tokens: [RandomIdentifier: String] = [:]
        for (identifier, invitation) in sharing.invitations {
            // An invitation whose secret is damaged gets no token.
            do throws(RecordError) {
                let secret = try keys.unwrap(invitation.secret, of: identifier, scope(share, 0))
                let token = ShareToken(sharing, identifier, secret)
                tokens[identifier] = try token.text(core.container)
            } catch { continue }
        }
        return tokens
    }
}

/// The participants, and the sealers for records.
extension ZoneState {
    /// A share and its participants; `nil` if there is no such share.
    func sharing(as target: ShareTarget) -> ZoneSharing? {
        guard let owner = head.database.owner else { return nil }
        switch target {
        case .zone:
            return keyring?.share.map { ZoneSharing(owner, head.incarnation, $0) }
        case .record(let identifier):
            guard let share = keyring?.shares[identifier], !share.isEnding else { return nil }
            return ZoneSharing(owner, head.incarnation, identifier, share)
        }
    }

    /// The sealer for new versions of records that belong to a share, or to none.
    func sealer(in share: RandomIdentifier?) throws(RecordError) -> RecordSealer {
        guard let share else { return try sealer(epoch: head.epoch, in: nil) }
        guard let epoch = keyring?.shares[share]?.newestEpoch else {
            throw RecordError(.damaged, "use zone \(head.name): a share in it has no key")
        }
        return try sealer(epoch: epoch, in: share)
    }

    /// The sealer under the newest key of a share.
    func sealer(of target: ShareTarget) throws(RecordError) -> RecordSealer {
        switch target {
        case .zone: try sealer(in: nil)
        case .record(let share): try sealer(in: share)
        }
    }

    private func sealer(
        epoch: UInt32, in share: RandomIdentifier?
    ) throws(RecordError) -> RecordSealer {
        guard let keyring, let keys else {
            return RecordSealer(publicZone: head.incarnation, core.container, core.items)
        }
        let key: ZoneKey
        if let participant = share.map({ reach?[$0] }) ?? participant {
            key = try sharedKey(scope(share, epoch), participant, keyring, keys)
        } else {
            guard isOwned else {
                throw RecordError(
                    .permissionFailure,
                    "use zone \(head.name): its owner does not share this record")
            }
            key =
                if let share { try ownKey(share, epoch, keyring, keys) } else {
                    try ownKey(epoch, keyring, keys)
                }
        }
        return RecordSealer(key, core.container, core.items)
    }

    /// The key of a zone or share in which the reader takes part.
    private func sharedKey(
        _ scope: SealScope, _ participant: ShareParticipant, _ keyring: ZoneKeyring,
        _ keys: AccountKeys
    ) throws(RecordError) -> ZoneKey {
        if participant.wraps[scope.epoch] == nil, let claim = participant.claim {
            let wrap = try wrap(of: scope.epoch, in: claim.wraps)
            return try keys.claimedKey(scope, claim, wrap: wrap) { () throws(RecordError) in
                try ownerKeys(keyring)
            }
        }
        let wrap = try wrap(of: scope.epoch, in: participant.wraps)
        return try keys.sharedZoneKey(scope, wrap: wrap) { () throws(RecordError) in
            try ownerKeys(keyring)
        }
    }

    /// The key of the reader's own zone.
    private func ownKey(
        _ epoch: UInt32, _ keyring: ZoneKeyring, _ keys: AccountKeys
    ) throws(RecordError) -> ZoneKey {
        try keys.zoneKey(scope(nil, epoch), wrap: wrap(of: epoch, in: keyring.wraps))
    }

    /// The key of a share in the reader's own zone.
    private func ownKey(
        _ share: RandomIdentifier, _ epoch: UInt32, _ keyring: ZoneKeyring, _ keys: AccountKeys
    ) throws(RecordError) -> ZoneKey {
        let wrap = try wrap(of: epoch, in: keyring.shares[share]?.wraps ?? [:])
        return try keys.shareKey(scope(share, epoch), wrap: wrap) { () throws(RecordError) in
            try ownKey(epoch, keyring, keys)
        }
    }

    private func wrap(
        of epoch: UInt32, in wraps: [UInt32: [UInt8]]
    ) throws(RecordError) -> [UInt8] {
        guard let wrap = wraps[epoch] else {
            throw RecordError(.damaged, "use zone \(head.name): it has no key of epoch \(epoch)")
        }
        return wrap
    }

    private func scope(_ share: RandomIdentifier?, _ epoch: UInt32) -> SealScope {
        SealScope(head.database, zone: head.incarnation, share: share, epoch: epoch)
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
        // If the epochs differ, the owner's keys were reset, and the zone's keys are about to be
        // removed.
        guard entry.epoch == keyring.accountEpoch else { throw DatabaseView.notFound(head.name) }
        return entry
    }
}

extension SealScope {
    /// The scope in which a stored record is sealed, according to its unsealed part.
    init(_ zone: StoredZone, of record: SealedRecord) {
        self.init(
            zone.database, zone: zone.incarnation, share: record.share, epoch: record.epoch)
    }
}
