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
    let limits: RecordLimits
    /// Milliseconds since 1970.
    let clock: @Sendable () -> Int64

    package init(
        _ backend: any RecordBackend, _ container: ContainerKeys,
        limits: RecordLimits = RecordLimits(), clock: @escaping @Sendable () -> Int64
    ) throws(RecordError) {
        (self.backend, self.container, self.limits) = (backend, container, limits)
        schemas = SchemaKeeper(backend, container)
        self.clock = clock
        do throws(CipherError) { items = try ItemCipher() } catch {
            throw RecordError.cipher("begin with \(container.place.container)", error)
        }
    }

    package var place: Place { container.place }

    /// A database as a session sees it.
    ///
    /// - Throws: `notAuthenticated` for a private database without an account.
    package func database(
        _ scope: DatabaseScope, _ session: Session
    ) throws(RecordError) -> DatabaseView {
        switch scope {
        case .public: return DatabaseView(self, Database(place, owner: nil), session)
        case .private:
            guard let account = session.account else {
                throw RecordError(
                    .notAuthenticated, "use a private database: nobody has signed in")
            }
            return DatabaseView(self, Database(place, owner: account), session)
        case .shared:
            throw RecordError(.invalidArguments, "use the shared database: nothing is shared")
        }
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
    /// Places of an index that one page of a query looks at.
    package var scanCount = 5_000
    /// Records that one query sorts.
    package var sortCount = 10_000
    /// How long deletions are remembered, in milliseconds: thirty days.
    package var deletionMemory: Int64 = 30 * 86_400_000
    /// How often a change is tried again that others have overtaken.
    package var retryCount = 20

    package init() {}
}
