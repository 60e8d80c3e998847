package import Bulla
package import BullaRecords
internal import Synchronization

/// The two stores of a service: one for records, and a separate one for accounts.
///
/// A database can take the place of the store of records, and further databases can share its work.
/// Any number of threads and processes can use the stores at once.
package final class ServiceStores: Sendable {
    package typealias Clock = @Sendable () -> Int64

    package let keyring: AccountKeyring
    package let backend: any RecordBackend
    /// The backend over all databases; `nil` if there is only one.
    package let placed: PlacedBackend?
    /// `nil` if the records are in a database.
    package let records: Store?
    package let accounts: Store
    private let main: any SiteBackend
    private let accountsKey: StoreKey
    let limits: RecordLimits
    let clock: Clock
    private let cores = Mutex<[Place: RecordCore]>([:])
    let unfinishedMoves = UnfinishedMoves()

    /// Opens the stores in a folder.
    ///
    /// - Parameters:
    ///   - home: where the records are; if there are further databases, this home is called
    ///     ``ServiceSettings/mainDatabase``.
    ///   - others: further databases, by their names.
    ///   - newAccounts: the name of the database for new accounts.
    ///   - patience: how long callers wait for one of several databases, and how many callers may
    ///     wait.
    ///   - accountsKey: opens the accounts' store, and the vault with the containers' secrets.
    ///   - creation: whether missing stores are created.
    ///   - clock: the time in milliseconds since 1970.
    ///   - front: wraps the backend of the records.
    /// - Throws: ``BullaError``, as opening a store does.
    package init(
        at folder: String, records home: RecordsHome, others: [String: any SiteBackend] = [:],
        newAccounts: String = ServiceSettings.mainDatabase,
        patience: SitePatience = SitePatience(), accountsKey: StoreKey,
        creation: StoreOptions.Creation = .never, limits: RecordLimits = RecordLimits(),
        clock: @escaping Clock, front: (any RecordBackend) -> any RecordBackend = { $0 }
    ) throws(BullaError) {
        let options = StoreOptions(creation: creation)
        let main: any SiteBackend
        switch home {
        case .store(let key):
            let store = try Store.open(at: folder + "/records.bulla", key: key, options: options)
            (records, main) = (store, EmbeddedBackend(store))
        case .database(let database): (records, main) = (nil, database)
        }
        do throws(BullaError) {
            accounts = try Store.open(
                at: folder + "/accounts.bulla", key: accountsKey, options: options)
        } catch {
            try? records?.close()
            throw error
        }
        let keyring = AccountKeyring(accounts)
        self.keyring = keyring
        (self.accountsKey, self.limits, self.clock) = (accountsKey, limits, clock)
        self.main = main
        placed =
            others.isEmpty
            ? nil
            : PlacedBackend(
                others.merging([ServiceSettings.mainDatabase: main]) { $1 },
                first: ServiceSettings.mainDatabase, newcomers: newAccounts, patience: patience,
                checkHead: { head, keys throws(RecordError) in _ = try HeadSeal(of: head, keys) },
                keys: { place throws(RecordError) in
                    try keyring.containers.keys(of: place, with: accountsKey, mayCreate: false)
                })
        backend = front(placed ?? main)
    }

    /// The databases of the records, by their names; a store counts as one.
    package var sites: [String: any SiteBackend] {
        placed?.sites ?? [ServiceSettings.mainDatabase: main]
    }

    /// The core of a container's environment; `nil` if there is no such container.
    package func core(of place: Place) throws(RecordError) -> RecordCore? {
        if let core = cores.withLock({ $0[place] }) { return core }
        guard try keyring.containers.contains(place) else { return nil }
        return try open(place)
    }

    /// Creates a container in both environments; an existing one stays as it is.
    package func addContainer(_ name: String) throws(RecordError) {
        guard NameRules.isAccountName(name) else {
            throw RecordError(
                .invalidArguments,
                "make a container: a name has 1 to 255 bytes, without spaces or control characters")
        }
        for environment in Environment.allCases { _ = try open(Place(name, environment)) }
    }

    private func open(_ place: Place) throws(RecordError) -> RecordCore {
        let core = try RecordCore.open(
            backend, keyring, place, key: accountsKey, limits: limits, clock: clock)
        return cores.withLock { cores in
            if let other = cores[place] { return other }
            cores[place] = core
            return core
        }
    }

    /// Creates an account that signs in with this name, and publishes its keys so that others can
    /// share with it.
    package func addAccount(
        named name: String, in place: Place, unlockedBy key: StoreKey
    ) throws(RecordError) -> AccountIdentifier {
        let account = try keyring.create(named: name, in: place, unlockedBy: key)
        try publish(account, in: place, unlockedBy: key)
        return account
    }

    /// Publishes an account's keys, so that others can share with it.
    private func publish(
        _ account: AccountIdentifier, in place: Place, unlockedBy key: StoreKey
    ) throws(RecordError) {
        let keys = try keyring.unlock(account, in: place, with: key)
        defer { keys.end() }
        try core(of: place)?.directory.publish(keys)
    }

    /// Deletes an account, and everything that it owns.
    ///
    /// The keys are deleted first. If the call fails after that, repeat it, or let ``tidy(_:)``
    /// finish the deletion. Until everything is deleted, the account can still be found by its
    /// name.
    ///
    /// If a restored database has lost the account, it has also lost the list of zones that others
    /// share with the account. Then each owner of such a zone learns of the deletion with the next
    /// change that the owner makes there.
    ///
    /// - Throws: `unknownItem`; the errors of the stores.
    package func deleteAccount(
        _ account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        let database = Database(place, owner: account)
        try keyring.beginDeletion(of: account, in: place)
        if let placed, try placed.adopt(database).isLoss {
            _ = try HomeRepair(placed, database).abandon()
        }
        try core(of: place)?.zoneKeys.leaveShares(of: account)
        // If the database is being moved, finish the move first. Otherwise a part of the database
        // would stay at the site to which it moves.
        if placed != nil { try mover().resume(database) }
        for zone in try backend.zones(in: database) {
            _ = try backend.delete(ZoneLife(zone))
        }
        try keyring.endDeletion(of: account, in: place)
    }

    /// Gives an account new keys: what it has stored can no longer be opened, its shares and
    /// sessions end, and from now on others use the new keys to share with it.
    package func resetKeys(
        of account: AccountIdentifier, in place: Place, to key: StoreKey
    ) throws(RecordError) {
        try keyring.reset(account, in: place, to: key)
        try core(of: place)?.zoneKeys.forget(of: account)
        try core(of: place)?.zoneKeys.leaveShares(of: account)
        try publish(account, in: place, unlockedBy: key)
    }

    /// Gives an account a role that the schema creates.
    ///
    /// - Throws: `invalidArguments` if the schema does not create the role; the errors of
    ///   ``AccountRoles/grant(_:to:in:)``.
    package func grant(
        _ role: String, to account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        guard try core(of: place)?.schema().roles.contains(role) == true else {
            throw RecordError(
                .invalidArguments, "grant role \(role): the schema does not create it")
        }
        try keyring.roles.grant(role, to: account, in: place)
    }

    /// Opens every container, which verifies that the records and the accounts belong together.
    package func openContainers() throws(RecordError) {
        for place in try keyring.containers.places() { _ = try core(of: place) }
    }

    /// Forgets what has expired, and finishes interrupted deletions and moves of accounts.
    ///
    /// It forgets orphaned assets, old deletions of records, sessions that have ended, and
    /// signatures with expired dates. If one of these tasks fails, the others are still done, and
    /// the first error is thrown at the end.
    package func tidy(_ book: SessionTidier) throws(RecordError) {
        var failure: RecordError?
        func attempt(_ body: () throws(RecordError) -> Void) {
            do throws(RecordError) { try body() } catch { failure = failure ?? error }
        }
        for place in try keyring.containers.places() {
            attempt { () throws(RecordError) in try core(of: place)?.freeOrphans() }
            attempt { () throws(RecordError) in try core(of: place)?.forgetDeletions() }
            attempt { () throws(RecordError) in try book(place) }
            var leaving: [AccountIdentifier] = []
            attempt { () throws(RecordError) in leaving = try keyring.leavingAccounts(in: place) }
            for account in leaving {
                attempt { () throws(RecordError) in try deleteAccount(account, in: place) }
            }
            attempt { () throws(RecordError) in try resumeOldMoves(in: place) }
        }
        attempt { () throws(RecordError) in try keyring.signatures.forget(endedBefore: clock()) }
        if let failure { throw failure }
    }

    /// A function that deletes the ended sessions of a place.
    package typealias SessionTidier = (Place) throws(RecordError) -> Void

    /// Closes the stores; waits for operations in progress.
    package func close() throws(BullaError) {
        cores.withLock { $0.removeAll() }
        try records?.close()
        try accounts.close()
    }
}

/// Where a service keeps its records.
package enum RecordsHome: Sendable {
    /// In a store beside the accounts' store; this key opens the store of the records.
    case store(StoreKey)
    /// In a database, through a backend that is connected to it.
    case database(any SiteBackend)
}
