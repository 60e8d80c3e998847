/// The effect of a batch of changes on the zone's present contents: the records to store and to
/// delete, including those that change as a consequence.
struct ModifyPlan {
    /// One record that changes.
    struct Item {
        let name: String
        /// The index of the caller's change; `nil` for a consequence of other changes.
        let index: Int?
        let expected: BackendBatch.Expectation
        let record: Record?
        var entry: RecordEntry?
    }

    private let view: DatabaseView
    private let zone: ZoneState
    private let access: PublicAccess
    private let sealer: RecordSealer
    private let time: Int64
    /// The present records that the plan depends on, by name: those that the changes name, and
    /// those that change as a consequence.
    private var stored: [String: StoredRecord]
    private(set) var items: [Item] = []
    /// Deletions of records that do not exist, which count as done.
    private(set) var idleDeletions: [Int] = []
    /// Whether the plan depends on references between records, and therefore on the whole zone.
    private var restsOnHead = false

    /// The schema, extended by the fields of the planned records.
    private(set) var schema: RecordSchema
    /// Changes that the schema does not allow.
    private(set) var schemaRefusals: [Int] = []

    init(
        _ view: DatabaseView, _ zone: ZoneState, _ schema: RecordSchema, _ names: [String]
    ) throws(RecordError) {
        (self.view, self.zone, self.schema) = (view, zone, schema)
        access = try PublicAccess(view, schema)
        sealer = try zone.sealer()
        time = view.core.clock()
        stored = [:]
        try look(names)
    }

    private var core: RecordCore { view.core }

    /// Reads the records with names that were not read before.
    private mutating func look(_ names: [String]) throws(RecordError) {
        let found = try core.backend.records(names, in: zone.life)
        for (name, record) in zip(names, found) { stored[name] = record }
    }

    /// Plans one change.
    mutating func add(_ change: RecordChange, _ index: Int) throws(RefusedChange) {
        do throws(RecordError) { try ShareRules(view, zone).check(change) } catch {
            throw RefusedChange(error: error)
        }
        switch change.kind {
        case .save(let save): try add(save, change.name, index)
        case .delete(let condition): try delete(change.name, condition, index)
        }
    }

    private mutating func delete(
        _ name: String, _ condition: RecordChange.Condition, _ index: Int
    ) throws(RefusedChange) {
        guard let bytes = stored[name]?.bytes else {
            guard case .isUnchanged = condition else { return idleDeletions.append(index) }
            throw RefusedChange(error: DatabaseView.unknown(name))
        }
        let found = SealedRecord(bytes)?.tag
        if case .isUnchanged(let tag) = condition, found != tag {
            throw RefusedChange(
                error: RefusedChange.changed(name, isGone: false),
                current: try? zone.record(bytes, name))
        }
        do throws(RecordError) { try checkDeletion(bytes, name) } catch {
            throw RefusedChange(error: error)
        }
        items.append(deletion(of: name, index))
    }

    /// Deletes the version of a record that was read: if a backend shows another version at the
    /// commit, or none, the head must not be sealed.
    private func deletion(of name: String, _ index: Int?) -> Item {
        let tag = stored[name]?.bytes.flatMap { SealedRecord($0) }?.tag
        return Item(
            name: name, index: index, expected: tag.map { .tag($0) } ?? .anything, record: nil,
            entry: nil)
    }

    /// In the public database, whoever may write a record may delete it.
    private func checkDeletion(_ bytes: [UInt8], _ name: String) throws(RecordError) {
        guard view.database.isPublic else { return }
        let record = try zone.record(bytes, name)
        try access.checkWrite(of: record.type, record, schema)
    }

    private mutating func add(
        _ save: RecordChange.Save, _ name: String, _ index: Int
    ) throws(RefusedChange) {
        let (current, isDamaged) = try current(name, save)
        do throws(RecordError) {
            let draft = try RecordMerge(view, time, zone, current).draft(save, name)
            try accept(draft, current, index)
            try access.checkWrite(of: draft.type, current, schema)
            let record = try seal(draft, over: current)
            let expected: BackendBatch.Expectation =
                isDamaged ? .anything : current.map { .tag($0.tag) } ?? .nothing
            items.append(
                Item(
                    name: name, index: index, expected: expected, record: record,
                    entry: try entry(record)))
        } catch { throw RefusedChange(error: error, current: nil) }
    }

    /// The record that a save changes; `nil` if there is none, or if it is damaged and the save
    /// replaces it unconditionally.
    private func current(
        _ name: String, _ save: RecordChange.Save
    ) throws(RefusedChange) -> (Record?, isDamaged: Bool) {
        guard NameRules.isRecordName(name) || stored[name] != nil else {
            throw RefusedChange(
                error: RecordError(.invalidArguments, "save a record: its name is not allowed"))
        }
        guard let bytes = stored[name]?.bytes else {
            guard case .isUnchanged = save.condition else { return (nil, false) }
            throw RefusedChange(error: DatabaseView.unknown(name))
        }
        let found: Record
        do throws(RecordError) { found = try zone.record(bytes, name) } catch {
            guard save.condition == .none, save.isReplacing, error.code == .damaged else {
                throw RefusedChange(error: error)
            }
            return (nil, true)
        }
        switch save.condition {
        case .isUnchanged(found.tag), .none: return (found, false)
        default:
            throw RefusedChange(
                error: RefusedChange.changed(name, isGone: false), current: found)
        }
    }

    private func seal(
        _ draft: RecordDraft, over current: Record?
    ) throws(RecordError) -> Record {
        let opened = try sealer.seal(draft, over: current?.opened)
        guard opened.record.bytes.count <= core.limits.recordByteCount else {
            throw RecordError(
                .limitExceeded,
                "save record \(draft.name): it has \(opened.record.bytes.count) bytes; the limit "
                    + "is \(core.limits.recordByteCount)")
        }
        return zone.record(opened, draft.name)
    }

    private func entry(_ record: Record) throws(RecordError) -> RecordEntry {
        try RecordFinder(zone.identifier, schema).entry(record)
    }

    /// Checks a record against the schema, and extends the schema in development.
    private mutating func accept(
        _ draft: RecordDraft, _ current: Record?, _ index: Int
    ) throws(RecordError) {
        var shapes = draft.shapes(current)
        let type = schema.types[draft.type]
        if draft.type == SystemType.share {
            // Every schema implicitly has this type, with the fields of a share.
            shapes = shapes.filter { SystemType.shareFields[$0.key] != $0.value }
            if shapes.isEmpty { return }
        }
        let isKnown = shapes.allSatisfy { name, shape in
            if case .known = type?.check(name, shape) { true } else { false }
        }
        guard !isKnown || type == nil else { return }
        do throws(RecordError) {
            let environment = view.core.place.environment
            if let grown = try schema.accepting(draft.type, shapes, in: environment) {
                schema = grown
            }
        } catch {
            schemaRefusals.append(index)
            throw error
        }
    }
}

extension ModifyPlan {
    /// Adds the consequences of the changes: further deletions, and changes of parents.
    ///
    /// - Returns: the changes that cannot be made, and why.
    mutating func settle() throws(RecordError) -> [Int: RecordError] {
        var refusals = try deleteReferrers()
        for (index, error) in try touchParents() { refusals[index] = error }
        items.removeAll { item in item.index.map { refusals[$0] != nil } ?? false }
        return refusals
    }

    private var deletedNames: Set<String> {
        Set(items.filter { $0.entry == nil }.map(\.name))
    }

    /// Deletes records that refer to deleted ones with `deleteSelf`, and refuses deletions of
    /// records to which others refer with `validate`.
    private mutating func deleteReferrers() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        var next = 0
        let limit = core.limits.referrerCount
        var names = Set(items.map(\.name))
        while next < items.count {
            let item = items[next]
            next += 1
            guard item.entry == nil else { continue }
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
                    "delete record \(item.name): more than \(limit) records go with it")
                // A consequence cannot be refused alone, since its cause would remain: all changes
                // fail.
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
            items += added.map { deletion(of: $0, nil) }
        }
        return refusals
    }

    /// Gives the parents of saved records new tags, so that saving an older version of a parent is
    /// refused.
    private mutating func touchParents() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        var touched: [String: Bool] = [:]
        for item in items {
            guard let index = item.index, let parent = item.record?.parent else { continue }
            guard touched[parent.name] == nil else {
                if touched[parent.name] == false { refusals[index] = orphan(item.name) }
                continue
            }
            let isThere = try touch(parent)
            touched[parent.name] = isThere
            if !isThere { refusals[index] = orphan(item.name) }
        }
        return refusals
    }

    private func orphan(_ name: String) -> RecordError {
        RecordError(.referenceViolation, "save record \(name): its parent does not exist")
    }

    /// Plans a new tag for a parent; returns whether the parent exists.
    private mutating func touch(_ parent: RecordIdentifier) throws(RecordError) -> Bool {
        guard parent.zone == zone.identifier else { return false }
        if let planned = items.first(where: { $0.name == parent.name }) {
            return planned.entry != nil
        }
        if stored[parent.name] == nil { try look([parent.name]) }
        guard let bytes = stored[parent.name]?.bytes else { return false }
        let current = try zone.record(bytes, parent.name)
        let record = try seal(
            try RecordMerge(view, time, zone, current).touched(), over: current)
        items.append(
            Item(
                name: parent.name, index: nil, expected: .tag(current.tag), record: record,
                entry: try entry(record)))
        return true
    }

    /// Plans a new tag for the zone's share, so that followers look at it again.
    ///
    /// - Returns: whether there is a share.
    mutating func touchShare() throws(RecordError) -> Bool {
        try touch(RecordIdentifier(ZoneSharing.recordName, in: zone.identifier))
    }

    /// The batch that carries out the plan.
    func batch(schemaVersion: UInt64) throws(RecordError) -> BackendBatch {
        let changes = items.map { item in
            BackendBatch.Change(item.name, expected: item.expected, entry: item.entry)
        }
        return BackendBatch(
            zone.life, identifier: try .new(), epoch: zone.head.epoch,
            schemaVersion: schemaVersion,
            headVersion: restsOnHead ? zone.head.version : nil, time: time, changes: changes,
            sealing: HeadSeal.sealing(changes, planned: zone.head, by: core.container))
    }
}
