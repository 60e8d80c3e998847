extension DatabaseView {
    /// The zones that others share with the account, by owner and name.
    func sharedZones() throws(RecordError) -> [ZoneIdentifier] {
        try sharedHeads().map { ZoneIdentifier($0.name, owner: $0.database.owner) }
    }

    /// The heads of the zones that others share with the account, by owner and name.
    ///
    /// Damaged heads are included, and refused when they are used.
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

    /// Removes the account from a share that it has accepted, or was invited to.
    ///
    /// Only the owner can give the zone new keys, so that the account does not have its keys any
    /// more; the owner's next change does that.
    func leave(_ name: String) throws(RecordError) {
        for _ in 0...core.limits.retryCount {
            guard let keys, let head = try core.head(named: name, in: database) else {
                throw Self.notFound(name)
            }
            let zone = try ZoneState(shared: head, core, keys, mayBePending: true)
            let touch = touch(zone)
            let isDone = try zone.changeShare { keyring in
                keyring.share?.participants[keys.account] = nil
                keyring.isEpochDue = true
            }
            guard isDone else { continue }
            tell(touch)
            return try SharedZoneList.change(of: keys.account, core) { zones throws(RecordError) in
                zones.removeAll { $0.incarnation == head.incarnation }
            }
        }
        throw RecordError(
            .unavailable, "leave zone \(name): others keep changing it", retryAfter: 1)
    }

    /// Makes changes to a zone, and last the one at `place`, by which the account leaves the zone.
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
            do throws(RecordError) { try leave(zone) } catch {
                guard !others.isEmpty else { throw error }
                result = .failed(error, current: nil)
            }
        }
        results.insert(result, at: place)
        return results
    }

    /// The batch that gives the zone's share a new tag; `nil` if the share does not exist, or
    /// cannot be opened.
    ///
    /// The head lists the participants. Followers read the share when its tag changes, so the tag
    /// changes after the head. If that fails, followers see the new participants at the next change
    /// of the share.
    func touch(_ zone: ZoneState) -> BackendBatch? {
        do throws(RecordError) {
            let known = try core.schemas.reload()
            var plan = try ModifyPlan(self, zone, known.schema, [ZoneSharing.recordName])
            guard try plan.touchShare() else { return nil }
            return try plan.batch(schemaVersion: known.version)
        } catch { return nil }
    }

    /// Makes followers look at the share of a zone whose head has changed.
    func tell(_ touch: BackendBatch?) {
        guard let touch else { return }
        // If others changed the share meanwhile, that has notified the followers. After any other
        // failure, they see the new participants at the next change of the share.
        _ = try? core.backend.commit(touch)
    }
}

extension ZoneState {
    /// Changes the share in the head; returns `false` if another change was faster.
    func changeShare(_ body: (inout ZoneKeyring) -> Void) throws(RecordError) -> Bool {
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

extension RecordChange {
    /// Whether the change deletes the share of its zone.
    var isDeletionOfShare: Bool {
        if case .delete = kind { name == ZoneSharing.recordName } else { false }
    }
}
