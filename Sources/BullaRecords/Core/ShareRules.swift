/// Checks changes of a zone's share record, and that other changes leave it alone.
struct ShareRules {
    private let view: DatabaseView
    private let zone: ZoneState

    init(_ view: DatabaseView, _ zone: ZoneState) { (self.view, self.zone) = (view, zone) }

    /// - Throws: `invalidArguments` for an invalid share; `permissionFailure` if anyone but the
    ///   zone's owner changes one; `tooManyParticipants`.
    func check(_ change: RecordChange) throws(RecordError) {
        let isNamedSo = change.name == ZoneSharing.recordName
        switch change.kind {
        case .delete: if isNamedSo { try checkOwner() }
        case .save(let save):
            if isNamedSo || save.type == SystemType.share {
                try check(save, change.name)
            } else {
                try checkOther(save, change.name)
            }
        }
    }

    private func checkOwner() throws(RecordError) {
        guard zone.participant == nil else {
            throw RecordError(
                .permissionFailure, "change the share of zone \(zone.head.name): only its owner may"
            )
        }
    }

    /// Checks that saving an ordinary record does not change the share.
    private func checkOther(
        _ save: RecordChange.Save, _ name: String
    ) throws(RecordError) {
        if case .record(let parent) = save.parent, parent.name == ZoneSharing.recordName {
            throw refusal(name, "a share cannot be a parent")
        }
        guard save.participants == nil else { throw refusal(name, "it is not a share") }
    }

    private func check(_ save: RecordChange.Save, _ name: String) throws(RecordError) {
        guard save.type == SystemType.share else {
            throw refusal(name, "a record with this name has the type \(SystemType.share)")
        }
        guard name == ZoneSharing.recordName else {
            throw refusal(
                name, "a share of one record needs share keys of its own; share the zone as a whole"
            )
        }
        guard view.scope != .public else {
            throw refusal(name, "the public database has no shares")
        }
        guard !zone.identifier.isDefault else {
            throw refusal(name, "the default zone cannot be shared; make another")
        }
        try checkOwner()
        for case .some(let field) in save.fields.values {
            for case .reference(let reference) in field.value.elements
            where reference.action != .none {
                throw refusal(name, "a reference of a share must have no action")
            }
        }
        try checkParticipants(save, name)
    }

    private func checkParticipants(
        _ save: RecordChange.Save, _ name: String
    ) throws(RecordError) {
        guard let wanted = save.participants else { return }
        let limit = view.core.limits.participantCount
        guard wanted.count <= limit else {
            throw RecordError(
                .tooManyParticipants,
                "save record \(name): a zone is shared with at most \(limit) accounts")
        }
        guard view.database.owner.map({ wanted[$0] == nil }) ?? true else {
            throw refusal(name, "its owner already takes part")
        }
    }

    private func refusal(_ name: String, _ reason: String) -> RecordError {
        RecordError(.invalidArguments, "save record \(name): \(reason)")
    }
}
