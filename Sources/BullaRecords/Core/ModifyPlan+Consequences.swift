extension ModifyPlan {
    /// Adds the consequences of the changes (further deletions, changes of parents, and records
    /// that join or leave shares), and seals the resulting records.
    ///
    /// - Returns: the changes that cannot be made, and why; if there are any, the plan is not
    ///   complete, and the other changes have to be planned again.
    mutating func settle() throws(RecordError) -> [Int: RecordError] {
        var refusals = try deleteReferrers()
        for (index, error) in try touchParents() { refusals[index] = error }
        guard refusals.isEmpty else { return refusals }
        refusals = try settleShares()
        guard refusals.isEmpty else { return refusals }
        return try seal()
    }

    /// Deletes the records that refer with `deleteSelf` to deleted records.
    ///
    /// The caller's deletion of a record is refused if the record is the target of a `validate`
    /// reference from a record that is not deleted.
    private mutating func deleteReferrers() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        var next = 0
        let limit = core.limits.referrerCount
        var names = Set(items.map(\.name))
        while next < items.count {
            let item = items[next]
            next += 1
            guard item.isDeletion else { continue }
            restsOnHead = true
            let holders = try core.backend.referrers(
                of: item.name, .validate, in: zone.life, limit: limit)
            if let index = item.index, !Set(holders).subtracting(deletedNames).isEmpty {
                refusals[index] = RecordError(
                    .referenceViolation, "delete record \(item.name): other records need it")
                continue
            }
            let followers = try core.backend.referrers(
                of: item.name, .deleteSelf, in: zone.life, limit: limit + 1)
            if followers.count > limit {
                let error = RecordError(
                    .limitExceeded,
                    "delete record \(askedName(item)): more than \(limit) records go with it")
                // A consequence cannot be refused alone, since its cause would remain, so all
                // changes fail.
                guard let index = item.index else { throw error }
                refusals[index] = error
                continue
            }
            guard items.count + followers.count <= core.limits.cascadeCount else {
                throw RecordError(
                    .limitExceeded,
                    "delete records: more than \(core.limits.cascadeCount) go with them")
            }
            let added = followers.filter { names.insert($0).inserted }
            try look(added)
            items += added.map { deletion(of: $0, nil, item.cause) }
        }
        return refusals
    }

    /// Gives the parents of saved records new tags, so that saving an older version of a parent is
    /// refused.
    private mutating func touchParents() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        var touched: [String: Bool] = [:]
        for item in items {
            guard let index = item.index, let parent = item.draft?.parent else { continue }
            // A participant does not see the parent of a share's root, and so leaves it unchanged.
            if zone.reach != nil, shares.isRoot(item.name) { continue }
            guard touched[parent.name] == nil else {
                if touched[parent.name] == false { refusals[index] = orphan(item.name) }
                continue
            }
            let isThere = try touch(parent, cause: index)
            touched[parent.name] = isThere
            if !isThere { refusals[index] = orphan(item.name) }
        }
        return refusals
    }

    /// The name that errors use for an item: for a consequence, the name of the record that the
    /// caller asked to change, because the caller might not be allowed to see the item's record.
    func askedName(_ item: Item) -> String {
        guard item.index == nil, let cause = item.cause else { return item.name }
        return items.first { $0.index == cause }?.name ?? item.name
    }

    private func orphan(_ name: String) -> RecordError {
        RecordError(.referenceViolation, "save record \(name): its parent does not exist")
    }

    /// Plans a new tag for a record, unless the record changes anyway; returns whether the zone
    /// will have the record.
    mutating func touch(
        _ record: RecordIdentifier, cause: Int?
    ) throws(RecordError) -> Bool {
        guard record.zone == zone.identifier else { return false }
        if let planned = items.first(where: { $0.name == record.name }) {
            return !planned.isDeletion
        }
        guard let current = try present(record.name) else { return false }
        try appendTouch(current, cause: cause)
        return true
    }

    /// The present record with a name; `nil` if there is none that the caller sees.
    mutating func present(_ name: String) throws(RecordError) -> Record? {
        if stored[name] == nil { try look([name]) }
        guard let bytes = stored[name]?.bytes else { return nil }
        do throws(RecordError) { return try zone.record(bytes, name) } catch {
            guard error.code == .unknownItem else { throw error }
            return nil
        }
    }

    /// Plans a new tag for a share, so that followers look at it again.
    ///
    /// - Returns: whether its record exists.
    mutating func touchShare(_ name: String) throws(RecordError) -> Bool {
        shares.isNotice = true
        let record = RecordIdentifier(name, in: zone.identifier)
        guard try touch(record, cause: nil) else { return false }
        _ = try settleShares()
        _ = try seal()
        return true
    }

    private mutating func settleShares() throws(RecordError) -> [Int: RecordError] {
        var settling = ShareSettling(self)
        let refusals = try settling.run()
        self = settling.plan
        return refusals
    }

    /// The shares that end: their root or share record is deleted, or they never got a share
    /// record.
    var endedShares: [RandomIdentifier] {
        let names = deletedNames
        let ended = zone.liveShares.filter { _, share in
            names.contains(share.name) || names.contains(share.root)
        }
        return ended.map(\.key) + shares.orphans
    }

    /// The trace that a planned record keeps of the share that it leaves; `nil` if it leaves no
    /// live share.
    ///
    /// A batch with a trace commits only if the head is still the one on which the plan is based,
    /// so the number of the change is known in advance.
    func trace(of item: Item, at place: Int) -> ShareTrace? {
        guard let draft = item.draft, let former = item.former,
            let share = shares.live(former.share), share != shares.membership(of: item.name)
        else { return nil }
        return ShareTrace(
            share, change: zone.head.version + UInt64(place) + 1,
            type: former.type == draft.type ? nil : former.type)
    }
}
