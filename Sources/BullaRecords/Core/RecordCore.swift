internal import BullaCipher

/// The record layer's one core: library and service are faces of it.
///
/// It holds the keys of one container in one of its environments, and seals and opens on behalf of
/// those whose sessions it is given. Any number of threads may call at once; calls block.
package final class RecordCore: Sendable {
    let backend: any RecordBackend
    let container: ContainerKeys
    let items: ItemCipher
    let schemas: SchemaKeeper
    package let directory: AccountDirectory
    let limits: RecordLimits
    /// Milliseconds since 1970.
    let clock: @Sendable () -> Int64
    let roles: RoleFinder

    /// The roles that an account was given, which schemas create.
    package typealias RoleFinder =
        @Sendable (AccountIdentifier) throws(RecordError) -> Set<String>

    /// - Parameters:
    ///   - backend: where the records are.
    ///   - roles: asked with each request for the public database, so that a role that was given or
    ///     taken counts at once.
    package init(
        _ backend: any RecordBackend, _ container: ContainerKeys,
        limits: RecordLimits = RecordLimits(), roles: @escaping RoleFinder = { _ in [] },
        clock: @escaping @Sendable () -> Int64
    ) throws(RecordError) {
        (self.backend, self.container, self.limits) = (backend, container, limits)
        schemas = SchemaKeeper(backend, container)
        directory = AccountDirectory(backend, container)
        (self.clock, self.roles) = (clock, roles)
        do throws(CipherError) { items = try ItemCipher() } catch {
            throw RecordError.cipher("begin with \(container.place.container)", error)
        }
    }

    package var place: Place { container.place }
    package var shares: ShareInvitations { ShareInvitations(self) }
    package var zoneKeys: ZoneKeyChanges { ZoneKeyChanges(self) }

    /// A database as a session sees it.
    ///
    /// - Throws: `notAuthenticated` for a private or shared database without an account.
    package func database(
        _ scope: DatabaseScope, _ session: Session
    ) throws(RecordError) -> DatabaseView {
        guard scope != .public else {
            return DatabaseView(self, scope, Database(place, owner: nil), session)
        }
        guard case .account(let keys) = session else {
            throw RecordError(
                .notAuthenticated, "use a \(scope.name) database: nobody has signed in")
        }
        // Where that fails, others do not find the account until it is used the next time: no
        // reason to keep it from what it has.
        try? directory.note(keys)
        return DatabaseView(self, scope, Database(place, owner: keys.account), session)
    }

    /// Wipes all keys.
    package func end() {
        container.end()
        items.end()
    }
}

/// How much one request may ask for.
package struct RecordLimits: Sendable {
    /// Changes in one request.
    package var changeCount = 200
    /// Records in one answer.
    package var answerCount = 200
    /// Bytes of one record, as it is stored.
    package var recordByteCount = 1 << 20
    /// Bytes of one asset.
    package var assetByteCount: UInt64 = 50 << 20
    /// How long chunks wait for a record, in milliseconds: an hour.
    package var orphanMemory: Int64 = 3_600_000
    /// Bytes of one account's records and assets; `nil`: as many as there is room for.
    package var accountByteCount: UInt64?
    /// Records that refer to one by an action that deletes them.
    package var referrerCount = 750
    /// Records that one request deletes along, all in all.
    package var cascadeCount = 5_000
    /// Places of an index that one page of a query looks at.
    package var scanCount = 5_000
    /// Records that one query sorts.
    package var sortCount = 10_000
    /// Accounts that a zone is shared with, besides its owner.
    package var participantCount = 100
    /// Places of an index that one sorted query looks at.
    package var sortScanCount = 100_000
    /// Days for which deletions are remembered.
    package var deletionDays: Int
    /// How often a change is tried again that others have overtaken.
    package var retryCount = 20

    package init(deletionDays: Int = 30) { self.deletionDays = deletionDays }

    /// For how many days deletions may be remembered.
    package static let deletionDayRange = 1...36_500

    /// How long deletions are remembered, in milliseconds.
    var deletionMemory: Int64 { Int64(deletionDays) * 86_400_000 }
}
