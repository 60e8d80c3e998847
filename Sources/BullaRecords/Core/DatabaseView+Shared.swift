extension DatabaseView {
    /// The zones that others share with the account, by their owners and names.
    func sharedZones() throws(RecordError) -> [ZoneIdentifier] {
        try sharedHeads().map { ZoneIdentifier($0.name, owner: $0.database.owner) }
    }

    /// The heads of these zones; one that is damaged is among them, to be refused where it is used.
    ///
    /// - Complexity: in the zones that were ever shared with the account.
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

    /// Takes the account out of a share that it takes part in, or is to.
    ///
    /// Only the owner can make keys that it does not have: the owner's next change does.
    func leave(_ name: String) throws(RecordError) {
        for _ in 0...core.limits.retryCount {
            guard let keys, let head = try core.backend.zone(named: name, in: database) else {
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
        throw RecordError(.unavailable, "leave zone \(name): others change it", retryAfter: 1)
    }

    /// Makes changes, of which one is to leave the zone: that comes last.
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

    /// What gives the zone's share another tag; `nil` where it is not there or does not open.
    ///
    /// The head says who takes part. Followers look at the share when its tag changes, so it does
    /// after the head has; where that fails they learn of it by the share's next change.
    func touch(_ zone: ZoneState) -> BackendBatch? {
        do throws(RecordError) {
            let known = try core.schemas.reload()
            var plan = try ModifyPlan(self, zone, known.schema, [ZoneSharing.recordName])
            guard try plan.touchShare() else { return nil }
            return try plan.batch(schemaVersion: known.version)
        } catch { return nil }
    }

    /// Makes followers look at a share whose head has changed.
    func tell(_ touch: BackendBatch?) {
        guard let touch else { return }
        // Whoever changed the share meanwhile has told them.
        _ = try? core.backend.commit(touch)
    }
}

extension ZoneState {
    /// Puts another share in the head; `false` where somebody else was faster.
    func changeShare(_ body: (inout ZoneKeyring) -> Void) throws(RecordError) -> Bool {
        guard var keyring else { return false }
        body(&keyring)
        var head = head
        head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
        return try core.backend.rekey(
            head, from: self.head.keys, formerEpoch: self.head.epoch)
    }
}

extension StoredZone {
    fileprivate var owner: String { database.owner?.userRecordName ?? "" }
}

extension RecordChange {
    /// Whether it is to delete the share of its zone.
    var isDeletionOfShare: Bool {
        if case .delete = kind { name == ZoneSharing.recordName } else { false }
    }
}
