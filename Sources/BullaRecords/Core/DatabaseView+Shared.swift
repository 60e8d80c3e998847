extension DatabaseView {
    /// The zones that others share with the account, sorted by owner and name.
    func sharedZones() throws(RecordError) -> [ZoneIdentifier] {
        try sharedHeads().map { ZoneIdentifier($0.name, owner: $0.database.owner) }
    }

    /// The heads of the zones that others share with the account, sorted by owner and name.
    ///
    /// Damaged heads are included; they are refused when used.
    ///
    /// - Complexity: one lookup for each zone in the account's list of shared zones.
    func sharedHeads() throws(RecordError) -> [StoredZone] {
        guard let keys else { return [] }
        var heads: [StoredZone] = []
        for head in try SharedZoneList.heads(of: keys.account, core) {
            do throws(RecordError) { _ = try ZoneState(shared: head, core, keys) } catch {
                guard error.code == .damaged else { continue }
            }
            heads.append(head)
        }
        return heads.sorted { ($0.owner, $0.name) < ($1.owner, $1.name) }
    }

    /// Removes the account from shares that it has accepted, or to which it was invited.
    ///
    /// The account still has the present keys. Only the owner can replace them, and the owner's
    /// next change does that.
    ///
    /// - Parameter share: the name of the record of one share; `nil` for all shares of the zone.
    func leave(_ name: String, _ share: String? = nil) throws(RecordError) {
        for _ in 0...core.limits.retryCount {
            guard let keys, let head = try core.head(named: name, in: database) else {
                throw Self.notFound(name)
            }
            let keyring = try ZoneKeyring(
                head.keys, head.identifier, head.incarnation, core.container)
            let all = keyring.targets(of: keys.account)
            let left = all.filter { share == nil || $0.name == share }
            guard let first = left.first else { throw Self.notFound(name) }
            var touches: [BackendBatch] = []
            var zone = try ZoneState(shared: head, core, keys, pending: first.target)
            for (target, shareName) in left {
                zone = try ZoneState(shared: head, core, keys, pending: target)
                if let touch = touch(zone, shareName) { touches.append(touch) }
            }
            let isDone = try zone.changeShares { keyring in
                for (target, _) in left { keyring.remove(keys.account, from: target) }
            }
            guard isDone else { continue }
            for touch in touches { tell(touch) }
            guard left.count == all.count else { return }
            return try SharedZoneList.change(of: keys.account, core) { zones throws(RecordError) in
                zones.removeAll { $0.incarnation == head.incarnation }
            }
        }
        throw RecordError(
            .unavailable, "leave zone \(name): others keep changing it", retryAfter: 1)
    }

    /// Makes changes to a zone; the change at index `place`, by which the account leaves a share,
    /// is made last.
    func modify(
        _ changes: [RecordChange], in zone: String, isAtomic: Bool, leavingBy place: Int
    ) throws(RecordError) -> [ChangeResult] {
        var others = changes
        others.remove(at: place)
        var results: [ChangeResult] = []
        if !others.isEmpty {
            var run = ModifyRun(self, zone, others, isAtomic: isAtomic)
            results = try run.run()
        }
        var result = ChangeResult.deleted
        if isAtomic, results.contains(where: { $0.error != nil }) {
            result = .failed(ModifyRun.batchFailed, current: nil)
        } else {
            do throws(RecordError) { try leave(zone, changes[place].name) } catch {
                guard !others.isEmpty else { throw error }
                result = .failed(error, current: nil)
            }
        }
        results.insert(result, at: place)
        return results
    }

    /// The batch that gives a share's record a new tag; `nil` if the record does not exist, or
    /// cannot be opened.
    ///
    /// The head lists the participants. Followers read the share when its tag changes, so the tag
    /// changes after the head. If the tag cannot be changed, followers see the new participants at
    /// the next change of the share.
    func touch(_ zone: ZoneState, _ name: String) -> BackendBatch? {
        do throws(RecordError) {
            let known = try core.schemas.reload()
            var plan = try ModifyPlan(self, zone, known.schema, [name])
            guard try plan.touchShare(name) else { return nil }
            return try plan.batch(schemaVersion: known.version)
        } catch { return nil }
    }

    /// Makes followers read a share again, after the head of its zone has changed.
    func tell(_ touch: BackendBatch?) {
        guard let touch else { return }
        // This fails if others changed the share first; their change has notified the followers.
        // After any other failure, the followers see the new participants at the next change of the
        // share.
        _ = try? core.backend.commit(touch)
    }
}

/// Finds out by which change a participant leaves a share.
struct ShareLeaving {
    /// The place of that change; `nil` if there is none.
    let place: Int?

    init(
        _ changes: [RecordChange], _ view: DatabaseView, _ zone: String
    ) throws(RecordError) {
        let deletions = changes.indices.filter { changes[$0].save == nil }
        guard view.scope == .shared, !deletions.isEmpty else {
            place = nil
            return
        }
        if let found = deletions.first(where: { changes[$0].name == ZoneSharing.recordName }) {
            place = found
            return
        }
        let reach = try view.zone(zone).reachedShares
        place = deletions.first { reach.contains(changes[$0].name) }
    }
}

extension ZoneState {
    /// The names of the share records of the shares to which the reader's view is limited; empty if
    /// it is not limited.
    var reachedShares: Set<String> {
        Set(reach?.keys.compactMap { keyring?.shares[$0]?.name } ?? [])
    }

    /// Changes the shares in the head; returns `false` if another change came first.
    func changeShares(_ body: (inout ZoneKeyring) -> Void) throws(RecordError) -> Bool {
        guard var keyring else { return false }
        body(&keyring)
        var head = head
        head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
        return try core.backend.rekey(
            head, from: self.head.keys, formerEpoch: self.head.epoch,
            sealing: HeadSeal.sealing(head, insteadOf: self.head, by: core.container))
    }
}

extension StoredZone {
    fileprivate var owner: String { database.owner?.userRecordName ?? "" }
}

extension ZoneKeyring {
    /// The shares to which an account was added, except those that are ending, with the names of
    /// their records.
    func targets(of account: AccountIdentifier) -> [(target: ShareTarget, name: String)] {
        var targets: [(target: ShareTarget, name: String)] = []
        if share?.participants[account] != nil { targets.append((.zone, ZoneSharing.recordName)) }
        for (identifier, share) in shares
        where !share.isEnding && share.members.participants[account] != nil {
            targets.append((.record(identifier), share.name))
        }
        return targets
    }

    /// A participant of a share; `nil` for an account that was not added to it.
    func participant(
        _ account: AccountIdentifier, of target: ShareTarget
    ) -> ShareParticipant? {
        switch target {
        case .zone: share?.participants[account]
        case .record(let share): shares[share]?.members.participants[account]
        }
    }

    /// An invitation that nobody has taken; `nil` if there is none, or if the share is ending.
    func invitation(
        _ identifier: RandomIdentifier, to target: ShareTarget
    ) -> OneTimeInvitation? {
        switch target {
        case .zone: share?.invitations[identifier]
        case .record(let share):
            shares[share].flatMap { $0.isEnding ? nil : $0.members.invitations[identifier] }
        }
    }

    /// Lets an account take an invitation and become a participant; after that, nobody else can
    /// take the invitation.
    ///
    /// The owner's next change replaces the key of the zone or of the share, because others who
    /// know the invitation's URL could open the present key with an earlier copy of the head.
    mutating func claim(
        _ invitation: RandomIdentifier, of target: ShareTarget, for account: AccountIdentifier,
        _ participant: ShareParticipant
    ) {
        switch target {
        case .zone:
            share?.invitations[invitation] = nil
            share?.participants[account] = participant
        case .record(let share):
            shares[share]?.members.invitations[invitation] = nil
            shares[share]?.members.participants[account] = participant
        }
        setEpochDue(target)
    }

    /// Forgets the expired invitations to all shares.
    mutating func forgetInvitations(expiredAt time: Int64) {
        if let share, share.invitations.contains(where: { $0.value.expiry <= time }) {
            self.share?.invitations = share.invitations.filter { $0.value.expiry > time }
            isEpochDue = true
        }
        for (identifier, share) in shares
        where share.members.invitations.contains(where: { $0.value.expiry <= time }) {
            shares[identifier]?.members.invitations = share.members.invitations
                .filter { $0.value.expiry > time }
            shares[identifier]?.isEpochDue = true
        }
    }

    /// Whether there is an invitation by a URL that nobody has used yet.
    var hasInvitations: Bool {
        share?.invitations.isEmpty == false
            || shares.contains { !$0.value.members.invitations.isEmpty }
    }

    /// Makes the owner's next change replace the newest key of the zone, or of a share.
    mutating func setEpochDue(_ target: ShareTarget) {
        switch target {
        case .zone: isEpochDue = true
        case .record(let share): shares[share]?.isEpochDue = true
        }
    }

    /// Removes a participant; the owner's next change replaces the key of the zone or of the share.
    mutating func remove(_ account: AccountIdentifier, from target: ShareTarget) {
        switch target {
        case .zone: share?.participants[account] = nil
        case .record(let share): shares[share]?.members.participants[account] = nil
        }
        setEpochDue(target)
    }

    mutating func accept(_ account: AccountIdentifier, of target: ShareTarget) {
        switch target {
        case .zone: share?.participants[account]?.acceptance = .accepted
        case .record(let share):
            shares[share]?.members.participants[account]?.acceptance = .accepted
        }
    }
}
