/// A database as one session sees it: its zones.
///
/// The shared database of an account has zones of others. Its view is of one owner at a time:
/// ``zones(of:)`` gives that of another.
package struct DatabaseView: Sendable {
    package let core: RecordCore
    package let scope: DatabaseScope
    /// Where the zones lie that the view names: what is sealed is bound to it, whoever looks.
    package let database: Database
    package let session: Session

    init(
        _ core: RecordCore, _ scope: DatabaseScope, _ database: Database, _ session: Session
    ) {
        (self.core, self.scope) = (core, scope)
        (self.database, self.session) = (database, session)
    }

    /// The keys that zones are opened with; none in the public database.
    var keys: AccountKeys? {
        if !database.isPublic, case .account(let keys) = session { keys } else { nil }
    }

    /// The account whose zones it is that name no owner; `nil` in the public database.
    package var home: AccountIdentifier? { scope == .public ? nil : session.account }

    /// The database, for zones of an owner; `nil` is whoever asks, or the public.
    ///
    /// - Throws: `zoneNotFound` where such zones are in another database.
    package func zones(of owner: AccountIdentifier?) throws(RecordError) -> DatabaseView {
        let owner = owner ?? home
        guard (owner == home) != (scope == .shared) else {
            throw RecordError(.zoneNotFound, "use a zone: its owner has none in this database")
        }
        return DatabaseView(core, scope, Database(core.place, owner: owner), session)
    }

    /// All zones, in the order of their names; the default zone is one of them, whether anything
    /// was written to it or not, but not of the shared database.
    package func zones() throws(RecordError) -> [ZoneIdentifier] {
        guard scope != .shared else { return try sharedZones() }
        var names = try core.backend.zones(in: database).map(\.name)
        if !names.contains(ZoneIdentifier.defaultName) {
            names.insert(ZoneIdentifier.defaultName, at: 0)
        }
        return names.map { ZoneIdentifier($0, owner: database.owner) }
    }

    /// Makes a zone; one that is there stays as it is.
    ///
    /// - Throws: `invalidArguments` for a name that no zone may have, and in the public database;
    ///   `permissionFailure` in the shared one.
    package func createZone(_ name: String) throws(RecordError) {
        guard scope != .shared else {
            throw RecordError(
                .permissionFailure, "make zone \(name): the shared database has others' zones")
        }
        guard let keys else {
            throw RecordError(
                .invalidArguments, "make zone \(name): the public database has one zone")
        }
        guard NameRules.isZoneName(name) else {
            throw RecordError(.invalidArguments, "make zone \(name): the name is not allowed")
        }
        _ = try make(name, keys)
    }

    /// Ends a zone, with all that is in it; in the shared database, leaves it.
    ///
    /// - Throws: `zoneNotFound`; `invalidArguments` for the default zone, unless its keys were
    ///   reset: it is made again when it is used.
    package func deleteZone(_ name: String) throws(RecordError) {
        guard scope != .shared else { return try leave(name) }
        let head = try core.backend.zone(named: name, in: database)
        if name == ZoneIdentifier.defaultName {
            guard let head, try isReset(head) else {
                throw RecordError(.invalidArguments, "delete zone \(name): every database has it")
            }
        }
        guard let head, try core.backend.delete(ZoneLife(head)) else { throw Self.notFound(name) }
    }

    /// Whether nothing of a zone opens any more, since its keys are of an epoch before.
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
        if try core.backend.create(head) { return head }
        // Somebody else was faster.
        guard let other = try core.backend.zone(named: name, in: database) else {
            throw RecordError(.unavailable, "make zone \(name): others make and delete it")
        }
        return other
    }

    /// A zone as it is now; the default one is made where nobody has used it.
    ///
    /// - Throws: `zoneNotFound`; `encryptedDataReset`.
    func zone(_ name: String) throws(RecordError) -> ZoneState {
        var head = try core.backend.zone(named: name, in: database)
        if head == nil, name == ZoneIdentifier.defaultName, scope != .shared {
            head = try make(name, keys)
        }
        guard let head else { throw Self.notFound(name) }
        return try state(of: head)
    }

    /// - Throws: `encryptedDataReset`; `damaged` where the head is not its owner's.
    func state(of head: StoredZone) throws(RecordError) -> ZoneState {
        guard let keys else { return ZoneState(public: head, core) }
        return scope == .shared
            ? try ZoneState(shared: head, core, keys) : try ZoneState(head, core, keys)
    }
}
