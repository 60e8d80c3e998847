/// Makes the changes of one zone: plans, seals and commits them, and starts over if others have
/// changed the zone meanwhile.
///
/// All records are sealed before anything is locked. So the commit checks that nothing on which the
/// plan depends has changed meanwhile.
struct ModifyRun {
    private let view: DatabaseView
    private let zoneName: String
    private let changes: [RecordChange]
    private let isAtomic: Bool
    private var results: [ChangeResult?]
    /// Whether the schema was read again after it refused a change.
    private var hasReloaded = false
    /// Whether some records may still be sealed under the keys of shares that have ended.
    private var hasEndings = false

    init(
        _ view: DatabaseView, _ zone: String, _ changes: [RecordChange], isAtomic: Bool
    ) {
        (self.view, zoneName, self.changes, self.isAtomic) = (view, zone, changes, isAtomic)
        results = changes.map { _ in nil }
    }

    private var core: RecordCore { view.core }

    /// Makes the changes, and returns the result of each.
    mutating func run() throws(RecordError) -> [ChangeResult] {
        var triesLeft = core.limits.retryCount
        do throws(RecordError) {
            while try !attempt(), triesLeft > 0 { triesLeft -= 1 }
        } catch {
            // If some changes were refused for reasons of their own, calling again would not help
            // those, so the caller gets the results instead of this error.
            guard error.code == .unavailable, hasRefused else { throw error }
            if !giveUpWhereAtomic() { return results.map { $0 ?? .failed(error, current: nil) } }
        }
        if hasEndings {
            // If this fails, the owner's next change in the zone tries it again.
            try? ShareEnding(view, zoneName).finish()
        }
        return results.map { $0 ?? .failed(Self.overtaken, current: nil) }
    }

    private var hasRefused: Bool { results.contains { $0?.error != nil } }

    private static let overtaken = RecordError(
        .unavailable, "change records: others keep changing them", retryAfter: 1)

    static let batchFailed = RecordError(
        .batchFailed, "change records: another change of the batch failed")

    /// Plans and commits the remaining changes; returns `true` when every change has its result.
    private mutating func attempt() throws(RecordError) -> Bool {
        let left = results.indices.filter { results[$0] == nil }
        guard !left.isEmpty else { return true }
        let zone = try view.zone(zoneName)
        try zone.checkWrite()
        if zone.isOwned, zone.keyring?.shares.contains(where: \.value.isEnding) == true {
            hasEndings = true
        }
        let known = try core.schemas.current()
        var plan = try ModifyPlan(view, zone, known.schema, left.map { changes[$0].name })
        for index in left {
            do throws(RefusedChange) { try plan.add(changes[index], index) } catch {
                results[index] = .failed(error.error, current: error.current)
            }
        }
        if try isOutdated(known, plan.schemaRefusals) { return false }
        let refusals = try plan.settle()
        refuse(refusals)
        if giveUpWhereAtomic() { return true }
        // The next attempt plans the other changes, without the refused ones and their
        // consequences.
        guard refusals.isEmpty else { return false }
        for index in plan.idleDeletions { results[index] = .deleted }
        // The head changes before the records; after that, everything is planned again.
        if try changeHead(plan, zone) {
            for index in plan.idleDeletions { results[index] = nil }
            return false
        }
        guard !plan.items.isEmpty else { return true }
        return try commit(plan, zone, known)
    }

    /// Updates the shares and their participants in the head, and begins the next epoch if it is
    /// due.
    ///
    /// - Returns: whether to plan again, because this run or another one has changed the head, or
    ///   because the change of a share was refused.
    private mutating func changeHead(
        _ plan: ModifyPlan, _ zone: ZoneState
    ) throws(RecordError) -> Bool {
        guard zone.isOwned, var edit = ShareEdit(zone, view) else { return false }
        var isNeeded = edit.isEpochDue
        for share in plan.endedShares {
            edit.end(share)
            isNeeded = true
        }
        for index in changes.indices where results[index]?.error == nil {
            guard changes[index].isShare || changes[index].name == ZoneSharing.recordName else {
                continue
            }
            isNeeded = true
            do throws(RecordError) { try edit.carryOut(changes[index]) } catch {
                guard error.code != .unavailable else { throw error }
                results[index] = .failed(error, current: nil)
                return true
            }
        }
        guard isNeeded else { return false }
        return try edit.commit()
    }

    /// Whether the schema that refused a change is outdated, because another process changed it.
    private mutating func isOutdated(
        _ known: SchemaKeeper.Known, _ refusals: [Int]
    ) throws(RecordError) -> Bool {
        guard !refusals.isEmpty, !hasReloaded else { return false }
        hasReloaded = true
        // It is not yet known whether these changes are refused: first the schema must be read
        // again, and that may fail.
        let refused = results
        for index in refusals { results[index] = nil }
        guard try core.schemas.reload().version == known.version else { return true }
        results = refused
        return false
    }

    private mutating func refuse(_ refusals: [Int: RecordError]) {
        for (index, error) in refusals { results[index] = .failed(error, current: nil) }
    }

    /// Refuses all changes if one change of an atomic batch was refused; returns whether it did so.
    private mutating func giveUpWhereAtomic() -> Bool {
        guard isAtomic, hasRefused else { return false }
        for index in results.indices where results[index]?.error == nil {
            results[index] = .failed(Self.batchFailed, current: nil)
        }
        return true
    }

    private mutating func commit(
        _ plan: ModifyPlan, _ zone: ZoneState, _ known: SchemaKeeper.Known
    ) throws(RecordError) -> Bool {
        guard let version = try schemaVersion(plan, known) else { return false }
        let batch = try plan.batch(schemaVersion: version)
        try checkQuota(batch)
        switch try outcome(of: batch) {
        case .committed:
            for item in plan.items {
                guard let index = item.index else { continue }
                results[index] = item.record.map { .saved($0) } ?? .deleted
            }
            return true
        case .conflicts(let conflicts):
            for (place, stored) in conflicts { refuse(plan.items[place], stored, zone) }
            return giveUpWhereAtomic()
        case .lostAssets(let places):
            for index in places.compactMap({ plan.items[$0].index }) {
                let error = RecordError(
                    .assetNotFound, "save record \(changes[index].name): one of its assets is gone")
                results[index] = .failed(error, current: nil)
            }
            return giveUpWhereAtomic()
        case .otherSchema:
            try core.schemas.reload()
            return false
        case .otherEpoch, .otherHead, .noZone: return false
        }
    }

    /// Refuses a batch for which the database's owner has no space left.
    ///
    /// The check does not see commits that happen at the same time. Such commits can exceed the
    /// quota by as much as they add.
    private func checkQuota(_ batch: BackendBatch) throws(RecordError) {
        guard let limit = core.limits.accountByteCount, !view.database.isPublic else { return }
        let brought = batch.changes.compactMap { $0.entry?.byteCount }.clampedSum
        guard brought > 0 else { return }
        let held = try core.heads(in: batch.zone.database).map(\.byteCount).clampedSum
        guard held < limit, brought <= limit - held else {
            throw RecordError(
                .quotaExceeded, "save records: the account would use more than \(limit) bytes")
        }
    }

    /// Extends the schema by what the plan adds, and returns the schema's version, on which the
    /// plan then depends; `nil` if another process has changed the schema.
    private func schemaVersion(
        _ plan: ModifyPlan, _ known: SchemaKeeper.Known
    ) throws(RecordError) -> UInt64? {
        guard !plan.schema.hasSameContent(as: known.schema) else { return known.version }
        if let fresh = try core.schemas.replace(known, with: plan.schema) { return fresh.version }
        try core.schemas.reload()
        return nil
    }

    /// Commits a batch; if the reply is lost, asks for the outcome.
    private func outcome(of batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        do throws(RecordError) { return try core.backend.commit(batch) } catch {
            guard error.code == .unavailable else { throw error }
            let first = try core.backend.outcome(of: batch.identifier, in: batch.zone)
            guard let first else { throw error }
            return .committed(first: first)
        }
    }

    /// Refuses a change whose condition no longer holds; a change without a condition is planned
    /// again.
    private mutating func refuse(
        _ item: ModifyPlan.Item, _ stored: StoredRecord?, _ zone: ZoneState
    ) {
        guard let index = item.index, changes[index].condition != .none else { return }
        let current = stored?.bytes.flatMap { try? zone.record($0, item.name) }
        results[index] = .failed(
            RefusedChange.changed(item.name, isGone: current == nil), current: current)
    }
}

extension [UInt64] {
    /// The sum; the greatest number if it overflows.
    fileprivate var clampedSum: UInt64 {
        reduce(0) { sum, number in
            let (next, isBeyond) = sum.addingReportingOverflow(number)
            return isBeyond ? .max : next
        }
    }
}

/// Why a change is not made, and the record as it is now.
struct RefusedChange: Error {
    let error: RecordError
    var current: Record?

    static func changed(_ name: String, isGone: Bool) -> RecordError {
        isGone
            ? DatabaseView.unknown(name)
            : RecordError(.recordChanged, "save record \(name): it is not as the caller read it")
    }
}

extension DatabaseView {
    /// Changes records of one zone.
    ///
    /// - Parameters:
    ///   - changes: at most one per record.
    ///   - atomically: whether one refused change prevents all others; in the default zone, the
    ///     changes are always independent.
    /// - Returns: the result of each change.
    /// - Throws: errors that concern all changes: `zoneNotFound`, `encryptedDataReset`,
    ///   `limitExceeded`, `permissionFailure`; `invalidArguments` if a record is named twice;
    ///   `unavailable`, unless a change was refused for a reason of its own; in that case, the
    ///   other unfinished changes fail with `unavailable`, or in an atomic batch with
    ///   `batchFailed`.
    package func modify(
        _ changes: [RecordChange], in zone: String, atomically: Bool = false
    ) throws(RecordError) -> [ChangeResult] {
        guard changes.count <= core.limits.changeCount else {
            throw RecordError(
                .limitExceeded,
                "change \(changes.count) records: one request may change "
                    + "\(core.limits.changeCount)")
        }
        guard Set(changes.map(\.name)).count == changes.count else {
            throw RecordError(.invalidArguments, "change records: one is named twice")
        }
        if case .nobody = session {
            throw RecordError(.permissionFailure, "change records: nobody has signed in")
        }
        let isAtomic = atomically && zone != ZoneIdentifier.defaultName
        if let place = try ShareLeaving(changes, self, zone).place {
            return try modify(changes, in: zone, isAtomic: isAtomic, leavingBy: place)
        }
        var run = ModifyRun(self, zone, changes, isAtomic: isAtomic)
        return try run.run()
    }
}
