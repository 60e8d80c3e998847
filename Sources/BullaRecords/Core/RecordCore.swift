internal import BullaCipher

/// The core of the record layer, which the library and the service both use.
///
/// It holds the keys of one container in one of its environments, and seals and opens data for the
/// sessions that callers pass. Any number of threads can call at once; calls block.
package final class RecordCore: Sendable {
    let backend: any RecordBackend
    let container: ContainerKeys
    let items: ItemCipher
    let schemas: SchemaKeeper
    package let directory: AccountDirectory
    package let limits: RecordLimits
    /// The time in milliseconds since 1970.
    let clock: @Sendable () -> Int64
    let roles: RoleFinder

    /// Finds the roles that were granted to an account; schemas say what the roles may do.
    package typealias RoleFinder =
        @Sendable (AccountIdentifier) throws(RecordError) -> Set<String>

    /// - Parameters:
    ///   - backend: the storage of the records.
    ///   - roles: called for each request to the public database, so that granting or revoking a
    ///     role takes effect at once.
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
            throw RecordError.cipher("open container \(container.place.container)", error)
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
        // If this fails, others cannot share with the account until it next uses a database; this
        // database can be used anyway.
        try? directory.note(keys)
        return DatabaseView(self, scope, Database(place, owner: keys.account), session)
    }

    /// Wipes all keys.
    package func end() {
        container.end()
        items.end()
    }
}

/// Limits of requests.
package struct RecordLimits: Sendable {
    /// The maximum number of changes in one request.
    package var changeCount = 200
    /// The maximum number of records in one answer.
    package var answerCount = 200
    /// The maximum size of one record in bytes, as it is stored.
    package var recordByteCount = 1 << 20
    /// The maximum size of one asset in bytes.
    package var assetByteCount: UInt64 = 50 << 20
    /// How long a chunk is kept if no record holds it, in milliseconds: an hour.
    package var orphanMemory: Int64 = 3_600_000
    /// The maximum total size, in bytes, of one account's records and assets; nil for no limit.
    package var accountByteCount: UInt64?
    /// The maximum number of records that are deleted because they refer to one deleted record.
    package var referrerCount = 750
    /// The maximum number of records that one request changes, including those that are deleted, or
    /// that join or leave a share, as a consequence.
    package var cascadeCount = 5_000
    /// The maximum number of places of an index that one page of a query reads.
    package var scanCount = 5_000
    /// The maximum number of bytes of text that one page of a query, or one sorted query, searches
    /// for words.
    ///
    /// The search of a page's last record may go beyond the limit. A text counts once, however many
    /// filters search it.
    package var searchByteCount = 64 << 20
    /// The maximum number of records that one query sorts.
    package var sortCount = 10_000
    /// The maximum number of bytes of names, and of values to sort by, that one sorted query keeps
    /// in memory.
    package var sortByteCount = 64 << 20
    /// The maximum number of accounts with which a zone or a record is shared, besides the owner.
    package var participantCount = 100
    /// The maximum number of records of one zone that are shared one by one; the zone's head has
    /// the keys of these shares, and every change of the zone reads the head.
    package var shareCount = 100
    /// The maximum number of places of an index that one sorted query reads.
    package var sortScanCount = 100_000
    /// How many days deletions are remembered.
    package var deletionDays: Int
    /// How often a change is tried again because other changes were committed before it.
    package var retryCount = 20

    package init(deletionDays: Int = 30) { self.deletionDays = deletionDays }

    /// How many days deletions can be remembered.
    package static let deletionDayRange = 1...36_500

    /// How long deletions are remembered, in milliseconds.
    var deletionMemory: Int64 { Int64(deletionDays) * 86_400_000 }
}
