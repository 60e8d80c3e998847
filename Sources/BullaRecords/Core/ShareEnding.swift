/// Seals the records of ended shares under other keys, and then forgets the keys of these shares.
///
/// For its participants, a share ends as soon as the zone's head says so. Its records may be too
/// many for one batch, so the owner seals them anew batch by batch, and can be interrupted.
struct ShareEnding {
    /// More batches than it takes to end any share.
    private static let stepLimit = 100_000

    private let view: DatabaseView
    private let zoneName: String

    init(_ view: DatabaseView, _ zone: String) { (self.view, zoneName) = (view, zone) }

    /// - Throws: `damaged` if one of the records is; `unavailable` if others keep changing them.
    func finish() throws(RecordError) {
        var failuresLeft = view.core.limits.retryCount
        for _ in 0..<Self.stepLimit {
            let zone = try view.zone(zoneName)
            let ended = zone.keyring?.shares.first { $0.value.isEnding }
            guard zone.isOwned, let ended else { return }
            if try step(zone, ended.key) { continue }
            failuresLeft -= 1
            guard failuresLeft > 0 else { break }
        }
        throw RecordError(
            .unavailable, "end a share in zone \(zoneName): others keep changing its records",
            retryAfter: 1)
    }

    /// Seals some of the share's records anew, or forgets the share if it has none left.
    ///
    /// - Returns: `false` if a change by others has prevented that.
    private func step(
        _ zone: ZoneState, _ share: RandomIdentifier
    ) throws(RecordError) -> Bool {
        let names = try view.core.backend.scan(
            IndexKey.members(of: share), in: zone.life, after: nil,
            limit: view.core.limits.changeCount
        ).names
        guard !names.isEmpty else {
            guard var edit = ShareEdit(zone, view) else { return true }
            edit.forget(share)
            return try edit.commit()
        }
        let known = try view.core.schemas.reload()
        var plan = try ModifyPlan(view, zone, known.schema, names)
        for name in names { try plan.takeOut(name, of: share) }
        for (_, error) in try plan.settle() { throw error }
        let batch = try plan.batch(schemaVersion: known.version)
        if case .committed = try view.core.backend.commit(batch) { return true }
        return false
    }
}

extension ModifyPlan {
    /// Plans a new seal for a record of a share that has ended.
    ///
    /// - Throws: `damaged` if the record is not in the share, so that a backend cannot keep
    ///   ``ShareEnding/finish()`` busy by naming other records.
    mutating func takeOut(_ name: String, of share: RandomIdentifier) throws(RecordError) {
        guard let record = try present(name) else { return }
        guard record.opened.record.share == share else {
            throw RecordError(.damaged, "end a share: record \(name) is not in it")
        }
        try appendTouch(record, cause: nil)
    }
}
