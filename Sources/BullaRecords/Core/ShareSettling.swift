/// Finds the share to which each record of a plan will belong.
///
/// A record joins the share of its parent. It leaves the share when its parent does, when it gets a
/// parent outside the share, or when it loses its parent. Saving a record changes the tag of its
/// parent, and when a record joins or leaves a share, all records below it do the same in the same
/// batch. So if two changes disagree about a share, one of them finds at its commit that a tag has
/// changed, and is planned again.
struct ShareSettling {
    private(set) var plan: ModifyPlan

    init(_ plan: ModifyPlan) { self.plan = plan }

    private var zone: ZoneState { plan.zone }
    private var core: RecordCore { plan.core }

    private var shares: PlannedShares { plan.shares }
    private var items: [ModifyPlan.Item] { plan.items }

    /// Finds the shares, and adds to the plan the records that join or leave one as a consequence.
    ///
    /// - Returns: the changes that cannot be made, and why.
    mutating func run() throws(RecordError) -> [Int: RecordError] {
        try deleteShareRecords()
        var refusals = try beginShares()
        guard refusals.isEmpty, !shares.isEmpty else { return refusals }
        refusals = try findMembers()
        guard refusals.isEmpty else { return refusals }
        for place in items.indices {
            do throws(RecordError) { try check(items[place]) } catch {
                let refused: [RecordError.Code] = [
                    .alreadyShared, .invalidArguments, .permissionFailure, .referenceViolation,
                ]
                guard let cause = items[place].cause, refused.contains(error.code) else {
                    throw error
                }
                refusals[cause] = error
            }
        }
        keepTraces()
        return refusals
    }

    /// Plans to delete the share record of each share whose root is deleted.
    private mutating func deleteShareRecords() throws(RecordError) {
        guard zone.isOwned, let all = zone.keyring?.shares, !all.isEmpty else { return }
        for item in items where item.isDeletion {
            for share in all.values where share.root == item.name {
                guard !items.contains(where: { $0.name == share.name }) else { continue }
                try plan.look([share.name])
                let found = plan.stored[share.name]?.bytes.flatMap { SealedRecord($0) }
                guard found?.type == SystemType.share else { continue }
                plan.items.append(plan.deletion(of: share.name, nil, item.cause))
            }
        }
    }

    /// Plans the shares that are saved, and finds their roots.
    private mutating func beginShares() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        for (index, name, root) in shares.saved {
            let known = shares.share(at: name).flatMap { shares.all[$0] }
            guard let root = known?.root ?? root else { continue }
            if known == nil, let other = shares.root(root), let share = shares.all[other] {
                guard try plan.present(share.name) == nil else {
                    refusals[index] = RecordError(
                        .alreadyShared, "share record \(root): it is in another share")
                    continue
                }
                plan.shares.drop(orphan: other)
            }
            let identifier = RecordIdentifier(root, in: zone.identifier)
            var isThere = false
            if known != nil { isThere = try isMember(root, of: shares.share(at: name)) }
            if !isThere { isThere = try plan.touch(identifier, cause: index) }
            guard isThere else {
                refusals[index] = DatabaseView.unknown(root)
                continue
            }
            if known == nil { try plan.shares.add(RecordShare(named: name, of: root)) }
        }
        return refusals
    }

    private mutating func isMember(
        _ name: String, of share: RandomIdentifier?
    ) throws(RecordError) -> Bool {
        try plan.present(name)?.opened.record.share == share
    }

    /// Finds the members of shares among the planned records, and adds to the plan all records
    /// below each record that joins or leaves a share.
    private mutating func findMembers() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        var expanded: Set<String> = []
        var hasGrown = true
        while hasGrown, refusals.isEmpty {
            hasGrown = false
            plan.shares.memberships = [:]
            let places = Dictionary(
                uniqueKeysWithValues: items.indices.map { (items[$0].name, $0) })
            for place in items.indices where !items[place].isDeletion {
                let item = items[place]
                do throws(RecordError) {
                    let share = try membership(of: item.name, places)
                    guard share != shares.live(item.former?.share),
                        expanded.insert(item.name).inserted
                    else { continue }
                    hasGrown = try addChildren(of: item, places) || hasGrown
                } catch {
                    guard let cause = item.cause, error.code == .invalidArguments else {
                        throw error
                    }
                    refusals[cause] = error
                }
            }
        }
        return refusals
    }

    /// The share to which a record will belong.
    private mutating func membership(
        of name: String, _ places: [String: Int]
    ) throws(RecordError) -> RandomIdentifier? {
        var path: [String] = []
        var (seen, next): (Set<String>, String) = ([], name)
        var found: RandomIdentifier?
        while true {
            if let known = shares.memberships[next] {
                found = known
                break
            }
            guard seen.insert(next).inserted else {
                // Records whose parents form a circle are in no share, and no record of a share may
                // get into such a circle.
                if path.contains(where: { isMember(at: places[$0]) }) { throw circle(name) }
                break
            }
            path.append(next)
            if let own = shares.share(at: next) {
                found = own
                break
            }
            guard let place = places[next] else {
                found = shares.live(try plan.present(next)?.opened.record.share)
                break
            }
            let item = items[place]
            guard let parent = item.draft?.parent else { break }
            if item.current?.opened.record.parent == parent, places[parent.name] == nil,
                !shares.isRoot(parent.name)
            {
                found = shares.live(item.former?.share)
                break
            }
            next = parent.name
        }
        for name in path { plan.shares.memberships[name] = .some(found) }
        return found
    }

    private func isMember(at place: Int?) -> Bool {
        shares.live(place.flatMap { items[$0].former?.share }) != nil
    }

    private func circle(_ name: String) -> RecordError {
        RecordError(.invalidArguments, "save record \(name): its parents lead back to it")
    }

    /// Adds the records whose parent is the record of `item`, unless they are planned already.
    ///
    /// - Returns: whether it has added any.
    private mutating func addChildren(
        of item: ModifyPlan.Item, _ places: [String: Int]
    ) throws(RecordError) -> Bool {
        var hasGrown = false
        for child in try children(of: item.name)
        where places[child.identifier.name] == nil {
            guard items.count < core.limits.cascadeCount else {
                throw RecordError(
                    .limitExceeded,
                    "share records: more than \(core.limits.cascadeCount) join or leave at once")
            }
            try plan.appendTouch(child, cause: item.cause)
            hasGrown = true
        }
        return hasGrown
    }

    /// The records whose parent is the one with this name.
    private mutating func children(of name: String) throws(RecordError) -> [Record] {
        var children: [Record] = []
        var mark: [UInt8]?
        repeat {
            let page = try core.backend.scan(
                IndexKey.children(of: name), in: zone.life, after: mark,
                limit: core.limits.answerCount)
            guard page.mark == nil || !page.names.isEmpty, page.mark != mark || mark == nil else {
                throw RecordError(.damaged, "look records up: a page of the index is empty")
            }
            try plan.look(page.names.filter { plan.stored[$0] == nil })
            for found in page.names {
                guard let child = try plan.present(found), child.parent?.name == name else {
                    continue
                }
                children.append(child)
            }
            guard children.count <= core.limits.cascadeCount else {
                throw RecordError(
                    .limitExceeded, "share records: record \(name) has too many below it")
            }
            mark = page.mark
        } while mark != nil
        return children
    }
}

/// Refuses planned changes that are not allowed.
extension ShareSettling {
    private mutating func check(_ item: ModifyPlan.Item) throws(RecordError) {
        try checkReach(item)
        guard let draft = item.draft else { return try checkDeletion(item) }
        if zone.reach != nil, shares.isRoot(item.name) {
            // The records above a share's root are not shared, so a participant cannot replace the
            // root's parent.
            guard draft.parent == item.current?.opened.record.parent else {
                throw unreachable(item)
            }
            return
        }
        guard let parent = draft.parent else { return }
        if let own = shares.root(item.name) {
            let places = Dictionary(
                uniqueKeysWithValues: items.indices.map { (items[$0].name, $0) })
            let above = try membership(of: parent.name, places)
            guard above != own else { throw circle(item.name) }
            guard above == nil else {
                throw RecordError(
                    .alreadyShared, "save record \(item.name): it would be in two shares")
            }
        } else if let current = item.current, current.parent != parent,
            shares.membership(of: item.name) != nil
        {
            try checkPath(of: item.name, from: parent.name)
        }
    }

    /// Checks that the parents of a record that moves within a share do not lead back to the
    /// record.
    private mutating func checkPath(of name: String, from parent: String) throws(RecordError) {
        var (next, seen): (String?, Set<String>) = (parent, [])
        while let above = next, !shares.isRoot(above) {
            guard above != name, seen.insert(above).inserted else { throw circle(name) }
            if let planned = items.first(where: { $0.name == above }) {
                next = planned.draft?.parent?.name
            } else {
                next = try plan.present(above)?.parent?.name
            }
        }
    }

    /// Checks that no record in a share keeps a parent that is deleted.
    private mutating func checkDeletion(_ item: ModifyPlan.Item) throws(RecordError) {
        guard shares.live(storedShare(item.name)) != nil, shares.share(at: item.name) == nil else {
            return
        }
        for child in try children(of: item.name) {
            let planned = items.first { $0.name == child.identifier.name }
            guard let planned else { throw needed(item.name) }
            if planned.draft?.parent?.name == item.name { throw needed(item.name) }
        }
    }

    private func needed(_ name: String) -> RecordError {
        RecordError(.referenceViolation, "delete record \(name): it is the parent of others")
    }

    /// Checks that a participant changes only records of shares in which the participant may write,
    /// moves none out of these shares, and deletes neither their roots nor their share records.
    private func checkReach(_ item: ModifyPlan.Item) throws(RecordError) {
        guard let reach = zone.reach, !shares.isNotice else { return }
        func isOpen(_ share: RandomIdentifier?) -> Bool {
            share.map { reach[$0]?.permission == .readWrite } ?? false
        }
        let former = storedShare(item.name)
        let isAllowed =
            item.isDeletion
            ? isOpen(former) && shares.share(at: item.name) == nil
            : isOpen(shares.membership(of: item.name)) && (item.current == nil || isOpen(former))
        guard isAllowed else { throw unreachable(item) }
    }

    private func unreachable(_ item: ModifyPlan.Item) -> RecordError {
        RecordError(
            .permissionFailure,
            "change record \(plan.askedName(item)): its owner does not let you, or it would not be "
                + "shared")
    }

    /// The share that the unsealed part of a stored record names.
    private func storedShare(_ name: String) -> RandomIdentifier? {
        plan.stored[name]?.bytes.flatMap { SealedRecord($0) }?.share
    }

    /// Drops, from each planned record, the traces of shares that have ended, and the trace of the
    /// share to which the record belongs now.
    private mutating func keepTraces() {
        for place in items.indices {
            let share = shares.membership(of: items[place].name)
            let live = shares
            plan.items[place].draft?.traces.removeAll {
                $0.share == share || live.live($0.share) == nil
            }
            if plan.trace(of: items[place], at: place) != nil { plan.restsOnHead = true }
        }
    }
}
