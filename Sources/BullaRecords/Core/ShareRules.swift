/// Checks changes to share records, and checks that other changes leave shares alone.
struct ShareRules {
    private let view: DatabaseView
    private let zone: ZoneState

    init(_ view: DatabaseView, _ zone: ZoneState) { (self.view, self.zone) = (view, zone) }

    /// - Throws: `invalidArguments` for an invalid share; `permissionFailure` if anyone but the
    ///   zone's owner changes one; `tooManyParticipants`.
    func check(_ change: RecordChange) throws(RecordError) {
        let isNamedSo = zone.isShare(change.name)
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
        guard zone.isOwned else {
            throw RecordError(
                .permissionFailure, "change a share of zone \(zone.head.name): only its owner may")
        }
    }

    /// Checks that saving an ordinary record does not change a share.
    private func checkOther(
        _ save: RecordChange.Save, _ name: String
    ) throws(RecordError) {
        if case .record(let parent) = save.parent, zone.isShare(parent.name) {
            throw refusal(name, "a share cannot be a parent")
        }
        guard save.participants == nil, save.invitations == nil, save.root == nil else {
            throw refusal(name, "it is not a share")
        }
    }

    private func check(_ save: RecordChange.Save, _ name: String) throws(RecordError) {
        guard save.type == SystemType.share else {
            throw refusal(name, "a record with this name has the type \(SystemType.share)")
        }
        guard view.scope != .public else {
            throw refusal(name, "the public database has no shares")
        }
        guard !zone.identifier.isDefault else {
            throw refusal(name, "nothing in the default zone can be shared; make another")
        }
        try checkOwner()
        try checkTarget(save, name)
        for case .some(let field) in save.fields.values {
            for case .reference(let reference) in field.value.elements
            where reference.action != .none {
                throw refusal(name, "a reference of a share must have no action")
            }
        }
        try checkParticipants(save, name)
    }

    /// Checks that a zone is shared either as a whole, or record by record.
    private func checkTarget(_ save: RecordChange.Save, _ name: String) throws(RecordError) {
        if case .record = save.parent { throw refusal(name, "a share has no parent") }
        guard name != ZoneSharing.recordName else {
            guard save.root == nil else { throw refusal(name, "the name is a zone's share's") }
            guard zone.liveShares.isEmpty else {
                throw refusal(name, "records of the zone are shared already; end that first")
            }
            return
        }
        guard zone.keyring?.share == nil else {
            throw refusal(name, "its zone is shared as a whole; end that first")
        }
        let known = zone.keyring?.share(named: name)?.share
        guard let root = save.root ?? known?.root else {
            throw refusal(name, "a share names the record that it shares")
        }
        guard known == nil || known?.root == root else {
            throw refusal(name, "it shares another record")
        }
        guard root != name, !zone.isShare(root) else { throw refusal(name, "it shares a share") }
    }

    private func checkParticipants(
        _ save: RecordChange.Save, _ name: String
    ) throws(RecordError) {
        let wanted = save.participants ?? [:]
        let limit = view.core.limits.participantCount
        guard wanted.count <= limit, save.invitations?.count ?? 0 <= limit - wanted.count else {
            throw RecordError(
                .tooManyParticipants,
                "save record \(name): a share has at most \(limit) participants")
        }
        guard view.database.owner.map({ wanted[$0] == nil }) ?? true else {
            throw refusal(name, "its owner already takes part")
        }
    }

    private func refusal(_ name: String, _ reason: String) -> RecordError {
        RecordError(.invalidArguments, "save record \(name): \(reason)")
    }
}

extension ZoneState {
    /// Whether this is the name of the zone's share, or of a record's share that the reader sees.
    func isShare(_ name: String) -> Bool {
        if name == ZoneSharing.recordName { return true }
        guard let share = keyring?.share(named: name) else { return false }
        return reach.map { $0[share.identifier] != nil } ?? true
    }
}
