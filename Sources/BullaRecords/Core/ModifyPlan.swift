/// The effect of a batch of changes on the zone's present contents: the records to store and to
/// delete, including those that change as a consequence.
struct ModifyPlan {
    /// One record that changes.
    struct Item {
        let name: String
        /// The index of the caller's change; `nil` for a consequence of other changes.
        let index: Int?
        /// The index of the caller's change that the item carries out, or of which it is a
        /// consequence; `nil` if no caller asked for it.
        let cause: Int?
        let expected: BackendBatch.Expectation
        /// The record as it is; `nil` if there is none, and for deletions.
        var current: Record?
        /// The record as it is, if it is damaged and is replaced without being opened.
        var damaged: SealedRecord?
        /// The record as it will be; `nil` to delete it.
        var draft: RecordDraft?
        var record: Record?
        var entry: RecordEntry?

        var isDeletion: Bool { draft == nil }

        /// The record that is replaced; of a damaged record, only the unsealed part is used.
        ///
        /// A damaged record counts too: followers of its share may have fetched it before the
        /// damage, and must learn if it leaves the share.
        var former: SealedRecord? { current?.opened.record ?? damaged }
    }

    let view: DatabaseView
    let zone: ZoneState
    private let access: PublicAccess
    private let time: Int64
    /// The present records that the plan depends on, by name: those that the changes name, and
    /// those that change as a consequence.
    var stored: [String: StoredRecord]
    var items: [Item] = []
    /// Deletions of records that do not exist, which count as done.
    private(set) var idleDeletions: [Int] = []
    /// The names of all records that the caller deletes.
    private var namedDeletions: Set<String> = []
    /// Whether the plan holds only while the zone's head is unchanged.
    ///
    /// That is so if the plan deletes records, because other records may refer to them. It is also
    /// so if the plan leaves traces of shares.
    var restsOnHead = false
    /// The shares to which records will belong.
    var shares: PlannedShares

    /// The schema, extended by the fields of the planned records.
    private(set) var schema: RecordSchema
    /// Changes that the schema does not allow.
    private(set) var schemaRefusals: [Int] = []

    init(
        _ view: DatabaseView, _ zone: ZoneState, _ schema: RecordSchema, _ names: [String]
    ) throws(RecordError) {
        (self.view, self.zone, self.schema) = (view, zone, schema)
        access = try PublicAccess(view, schema)
        time = view.core.clock()
        stored = [:]
        shares = PlannedShares(zone)
        try look(names)
    }

    var core: RecordCore { view.core }

    /// Reads the records with these names, and keeps them in ``stored``.
    mutating func look(_ names: [String]) throws(RecordError) {
        let found = try core.backend.records(names, in: zone.life)
        for (name, record) in zip(names, found) { stored[name] = record }
    }

    /// The bytes of a record that was read; `nil` if there is none that the caller sees.
    private func bytes(of name: String) -> [UInt8]? {
        guard let bytes = stored[name]?.bytes else { return nil }
        return isHidden(bytes) ? nil : bytes
    }

    private func isHidden(_ bytes: [UInt8]) -> Bool {
        zone.reach != nil && SealedRecord(bytes).map { !zone.sees($0) } ?? true
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
        guard let bytes = bytes(of: name) else {
            guard case .isUnchanged = condition else {
                namedDeletions.insert(name)
                return idleDeletions.append(index)
            }
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
        namedDeletions.insert(name)
        items.append(deletion(of: name, index, index))
    }

    /// The deletion of a record, which must still have the version that was read.
    ///
    /// If a backend shows another version at the commit, or none, the core refuses to seal the
    /// head.
    func deletion(of name: String, _ index: Int?, _ cause: Int?) -> Item {
        let tag = stored[name]?.bytes.flatMap { SealedRecord($0) }?.tag
        return Item(
            name: name, index: index, cause: cause,
            expected: tag.map { .tag($0) } ?? .anything)
    }

    /// In the public database, checks that the caller may write the record, and so may delete it.
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
            var draft = try RecordMerge(view, time, zone, current).draft(save, name)
            // A new record keeps the traces of the deleted or damaged record that had its name.
            if current == nil { draft.traces = stored[name]?.traces(for: draft.type) ?? [] }
            try accept(draft, current, index)
            try access.checkWrite(of: draft.type, current, schema)
            let expected: BackendBatch.Expectation =
                isDamaged ? .anything : current.map { .tag($0.tag) } ?? .nothing
            items.append(
                Item(
                    name: name, index: index, cause: index, expected: expected, current: current,
                    damaged: isDamaged ? stored[name]?.bytes.flatMap { SealedRecord($0) } : nil,
                    draft: draft))
            if save.type == SystemType.share, name != ZoneSharing.recordName {
                shares.saved.append((index, name, save.root))
            }
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
        guard let bytes = bytes(of: name) else {
            if case .isUnchanged = save.condition {
                throw RefusedChange(error: DatabaseView.unknown(name))
            }
            guard stored[name]?.bytes == nil else {
                throw RefusedChange(
                    error: RecordError(
                        .permissionFailure, "save record \(name): the name is not free"))
            }
            return (nil, false)
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

    /// Checks a record against the schema, which it extends in the development environment.
    private mutating func accept(
        _ draft: RecordDraft, _ current: Record?, _ index: Int
    ) throws(RecordError) {
        var shapes = draft.shapes(current)
        let type = schema.types[draft.type]
        if draft.type == SystemType.share {
            // Every schema implicitly has the type of shares, with its fields.
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

    /// The names of the records that will be gone.
    var deletedNames: Set<String> {
        namedDeletions.union(items.filter(\.isDeletion).map(\.name))
    }

    /// Plans a new tag for a record that exists.
    mutating func appendTouch(_ current: Record, cause: Int?) throws(RecordError) {
        let draft = try RecordMerge(view, time, zone, current).touched()
        items.append(
            Item(
                name: current.identifier.name, index: nil, cause: cause,
                expected: .tag(current.tag), current: current, draft: draft))
    }
}

extension ModifyPlan {
    /// Seals the records, each with the key of its zone or of the share to which it will belong.
    ///
    /// - Returns: the changes that cannot be made, and why.
    mutating func seal() throws(RecordError) -> [Int: RecordError] {
        var refusals: [Int: RecordError] = [:]
        var sealers: [RandomIdentifier?: RecordSealer] = [:]
        for place in items.indices {
            let item = items[place]
            guard var draft = item.draft else { continue }
            let share = shares.membership(of: item.name)
            // Do not seal records of a share that the head does not have yet: once it has the
            // share, everything is planned again.
            guard !shares.isPending(share) else { continue }
            if shares.isEmpty { draft.traces = [] }
            if let former = trace(of: item, at: place) { draft.traces.append(former) }
            do throws(RecordError) {
                let sealer: RecordSealer
                if let known = sealers[share] {
                    sealer = known
                } else {
                    sealer = try zone.sealer(in: share)
                    sealers[share] = sealer
                }
                let record = try seal(draft, item, sealer)
                items[place].record = record
                items[place].entry = try RecordFinder(zone.identifier, schema).entry(record)
            } catch {
                guard let cause = item.cause, error.code != .unavailable else { throw error }
                refusals[cause] = error
            }
        }
        return refusals
    }

    private func seal(
        _ draft: RecordDraft, _ item: Item, _ sealer: RecordSealer
    ) throws(RecordError) -> Record {
        let opened = try sealer.seal(draft, over: item.current?.opened)
        guard item.index == nil || opened.record.bytes.count <= core.limits.recordByteCount else {
            throw RecordError(
                .limitExceeded,
                "save record \(draft.name): it has \(opened.record.bytes.count) bytes; the limit "
                    + "is \(core.limits.recordByteCount)")
        }
        return zone.record(opened, draft.name)
    }

    /// The batch that carries out the plan.
    func batch(schemaVersion: UInt64) throws(RecordError) -> BackendBatch {
        let changes = items.map { item in
            precondition(item.isDeletion == (item.entry == nil), "what is saved was sealed")
            return BackendBatch.Change(item.name, expected: item.expected, entry: item.entry)
        }
        return BackendBatch(
            zone.life, identifier: try .new(), epoch: zone.head.epoch,
            schemaVersion: schemaVersion,
            headVersion: restsOnHead ? zone.head.version : nil, time: time, changes: changes,
            sealing: HeadSeal.sealing(changes, planned: zone.head, by: core.container))
    }
}
