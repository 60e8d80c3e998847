/// A database, with its zones, as one session sees it.
///
/// The shared database of an account contains zones of others. A view covers the zones of only one
/// owner; ``zones(of:)`` returns the view of another owner's zones.
package struct DatabaseView: Sendable {
    package let core: RecordCore
    package let scope: DatabaseScope
    /// The database that contains the view's zones, and to which their sealed data is bound, no
    /// matter which account reads it.
    package let database: Database
    package let session: Session

    init(
        _ core: RecordCore, _ scope: DatabaseScope, _ database: Database, _ session: Session
    ) {
        (self.core, self.scope) = (core, scope)
        (self.database, self.session) = (database, session)
    }

    /// The keys for the zones; none in the public database.
    var keys: AccountKeys? {
        if !database.isPublic, case .account(let keys) = session { keys } else { nil }
    }

    /// The view of an owner's zones.
    ///
    /// If `owner` is `nil`, the session's account is meant; in the public database, `nil` means
    /// that the zones have no owner.
    ///
    /// - Throws: `zoneNotFound` if the owner's zones are in another database.
    package func zones(of owner: AccountIdentifier?) throws(RecordError) -> DatabaseView {
        let owner = owner ?? home
        guard (owner == home) != (scope == .shared) else {
            throw RecordError(.zoneNotFound, "use a zone: its owner has none in this database")
        }
        return DatabaseView(core, scope, Database(core.place, owner: owner), session)
    }

    /// All zones, sorted by name.
    ///
    /// Except in the shared database, they include the default zone; if it was never used, it comes
    /// first.
    package func zones() throws(RecordError) -> [ZoneIdentifier] {
        guard scope != .shared else { return try sharedZones() }
        var names = try core.heads(in: database).map(\.name)
        if !names.contains(ZoneIdentifier.defaultName) {
            names.insert(ZoneIdentifier.defaultName, at: 0)
        }
        return names.map { ZoneIdentifier($0, owner: database.owner) }
    }

    /// Creates a zone; an existing one stays as it is.
    ///
    /// - Throws: `invalidArguments` for an invalid name, and in the public database;
    ///   `permissionFailure` in the shared one.
    package func createZone(_ name: String) throws(RecordError) {
        guard scope != .shared else {
            throw RecordError(
                .permissionFailure, "make zone \(name): the shared database has only others' zones")
        }
        guard let keys else {
            throw RecordError(
                .invalidArguments, "make zone \(name): the public database has only one zone")
        }
        guard NameRules.isZoneName(name) else {
            throw RecordError(.invalidArguments, "make zone \(name): the name is not allowed")
        }
        _ = try make(name, keys)
    }

    /// Deletes a zone with its contents; in the shared database, the account leaves the zone.
    ///
    /// - Throws: `zoneNotFound`; `invalidArguments` for the default zone, unless its keys were
    ///   reset: in that case it is created again at its next use.
    package func deleteZone(_ name: String) throws(RecordError) {
        guard scope != .shared else { return try leave(name) }
        let head = try core.head(named: name, in: database)
        if name == ZoneIdentifier.defaultName {
            guard let head, try isReset(head) else {
                throw RecordError(.invalidArguments, "delete zone \(name): every database has it")
            }
        }
        guard let head, try core.backend.delete(ZoneLife(head)) else { throw Self.notFound(name) }
    }

    /// Whether nothing in a zone can be opened any more, because its owner's keys were reset.
    private func isReset(_ head: StoredZone) throws(RecordError) -> Bool {
        guard let keys else { return false }
        let keyring = try ZoneKeyring(head.keys, head.identifier, head.incarnation, core.container)
        return keyring.isReset || keyring.accountEpoch < keys.epoch
    }

    static func notFound(_ name: String) -> RecordError {
        RecordError(.zoneNotFound, "use zone \(name): there is none of that name")
    }

    private func make(_ name: String, _ keys: AccountKeys?) throws(RecordError) -> StoredZone {
        let incarnation = try RandomIdentifier.new()
        var head = StoredZone(database, name: name, incarnation: incarnation, epoch: 0, keys: [])
        if let keys {
            let scope = SealScope(database, zone: incarnation, epoch: 1)
            let wrap = try ZoneKey.random(scope).wrapped(by: keys.zones, for: keys.account)
            let keyring = ZoneKeyring(accountEpoch: keys.epoch, wraps: [1: wrap])
            head.epoch = 1
            head.keys = try keyring.bytes(head.identifier, incarnation, core.container)
        }
        head.seal = try HeadSeal(ofEmpty: incarnation, core.container)
            .bytes(for: head, core.container)
        if try core.backend.create(head) { return head }
        // Another caller has created the zone first.
        guard let other = try core.head(named: name, in: database) else {
            throw RecordError(.unavailable, "make zone \(name): others keep deleting it")
        }
        return other
    }

    /// The present state of a zone; creates the default one if it was never used.
    ///
    /// - Throws: `zoneNotFound`; `encryptedDataReset`.
    func zone(_ name: String) throws(RecordError) -> ZoneState {
        var head = try core.head(named: name, in: database)
        if head == nil, name == ZoneIdentifier.defaultName, scope != .shared {
            head = try make(name, keys)
        }
        guard let head else { throw Self.notFound(name) }
        return try state(of: head)
    }

    /// The state of the zone with this head.
    ///
    /// - Throws: `encryptedDataReset`; `zoneNotFound` for a zone that is not shared with the
    ///   account; `damaged` if the head was not made with the container's keys.
    func state(of head: StoredZone) throws(RecordError) -> ZoneState {
        guard let keys else { return try ZoneState(public: head, core) }
        return scope == .shared
            ? try ZoneState(shared: head, core, keys) : try ZoneState(head, core, keys)
    }
}
