package import Bulla
package import BullaMemory

/// Where the service keys of accounts are kept, each behind its owner's password or key.
///
/// It stands in a store of its own, apart from the records and from their backups: a copy of one
/// gives nothing away of the other. Every account has a vault, which its password opens; what
/// the store keeps of the account is sealed in it.
///
///     tree        key             value
///     accounts    place, account  ``AccountRow``: epoch, which vault, service key sealed in it
///     containers  place           the container's secret, sealed in the vault of the service
///     names       place, name     the account that signs in by it
///     sessions    place, session  ``SessionRow``: hash of a secret, service key sealed under it
///     programs    place, hash     what a program is called that has the API token of this hash
///     servers     place, key ID   name and public key of a server
///     roles       place, account, role: nothing; the account has the role
///     leaving     place, account  nothing: the account's deletion has begun
///     signatures  digest          when a signature that was used for a write is over
///
/// A password that is changed, a key that is reset and an account that is deleted are so for this
/// store alone. A copy of it from before still opens with what opened it then, and gives the
/// service key of that time: with it, all that was sealed before the reset, and after a change of
/// the password all that is sealed until the next reset. Copies of this store have to be destroyed
/// with what they must not open.
///
/// Any number of processes may have the store open. Calls block; those that are given a password
/// take the time of its stretching.
package final class AccountKeyring: Sendable {
    let store: Store

    /// - Parameter store: the keyring's own, encrypted: nobody else writes to it.
    package init(_ store: Store) { self.store = store }

    package var containers: ContainerSecrets { ContainerSecrets(store) }
    package var names: AccountNames { AccountNames(store) }
    package var sessions: AccountSessions { AccountSessions(self) }
    package var roles: AccountRoles { AccountRoles(self) }
    package var programs: AdmittedPrograms { AdmittedPrograms(store) }
    package var servers: SigningServers { SigningServers(store) }
    package var signatures: UsedSignatures { UsedSignatures(store) }

    /// Makes an account, with a new service key.
    ///
    /// - Parameter key: a password, or another key of the owner's.
    /// - Throws: `invalidArguments` for a key that opens no vault; `unavailable`, `internalError`.
    package func create(
        in place: Place, unlockedBy key: StoreKey
    ) throws(RecordError) -> AccountIdentifier {
        let account = AccountIdentifier(try .new())
        try RecordError.attempt("make an account") {
            try replaceRow(of: account, in: place, from: nil, key)
        }
        return account
    }

    /// The keys of an account.
    ///
    /// - Throws: `authenticationFailed` where the key is not the account's; `unknownItem` where
    ///   there is no such account; `damaged`; `unavailable`, `internalError`.
    package func unlock(
        _ account: AccountIdentifier, in place: Place, with key: StoreKey
    ) throws(RecordError) -> AccountKeys {
        try withServiceKey(of: account, in: place, unlockedBy: key) { epoch, serviceKey in
            try AccountKeys(account, in: place, epoch: epoch, serviceKey: serviceKey)
        }
    }

    /// Lends an account's service key, which the service seals for a session of its owner.
    ///
    /// - Throws: what ``unlock(_:in:with:)`` throws, and what `body` throws.
    package func withServiceKey<R>(
        of account: AccountIdentifier, in place: Place, unlockedBy key: StoreKey,
        _ body: (_ epoch: UInt32, borrowing SecretBytes) throws -> R
    ) throws(RecordError) -> R {
        try RecordError.attempt("open an account") {
            let (tree, row) = try row(of: account, in: place)
            let vault = try open(row, of: account, key)
            defer { vault.lock() }
            let identity = identity(of: account, in: place, epoch: row.epoch, tree)
            return try vault.open(row.sealedKey, for: identity) { bytes in
                guard bytes.byteCount == AccountKeys.serviceKeyByteCount else {
                    throw RecordError(.damaged, "open an account: its key is cut")
                }
                return try body(row.epoch, SecretBytes(copying: bytes))
            }
        }
    }

    /// How often an account's keys were reset, and one; `nil` where there is no such account.
    ///
    /// A session with keys of another epoch has to ask for the owner's key again.
    ///
    /// - Complexity: one look-up in a snapshot; no password is asked for.
    package func epoch(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) -> UInt32? {
        try RecordError.attempt("look up an account") {
            try store.read { snapshot in try epoch(of: account, place, in: snapshot) }
        }
    }

    func epoch(
        of account: AccountIdentifier, _ place: Place, in snapshot: borrowing Snapshot
    ) throws -> UInt32? {
        guard let tree = try snapshot.treeIfPresent(named: Self.accountTree) else { return nil }
        let row = try snapshot.value(forKey: Self.key(account, place), in: tree)
        return try row.map { try AccountRow($0).epoch }
    }

    /// All accounts of a place, in the order of their identifiers.
    package func accounts(in place: Place) throws(RecordError) -> [AccountIdentifier] {
        try RecordError.attempt("list accounts") {
            try store.read { snapshot in
                guard let tree = try snapshot.treeIfPresent(named: Self.accountTree) else {
                    return []
                }
                let prefix = Self.prefix(place)
                var accounts: [AccountIdentifier] = []
                try snapshot.scan(tree, .prefix(prefix)) { key, _ in
                    let bytes = Array([UInt8](copying: key).dropFirst(prefix.count))
                    accounts += RandomIdentifier(bytes: bytes).map { [AccountIdentifier($0)] } ?? []
                    return .next
                }
                return accounts
            }
        }
    }
}

extension AccountKeyring {
    /// Gives an account another password or key; its service key stays, and all sessions.
    ///
    /// - Throws: what ``unlock(_:in:with:)`` throws.
    package func changeKey(
        of account: AccountIdentifier, in place: Place, from former: StoreKey, to key: StoreKey
    ) throws(RecordError) {
        try RecordError.attempt("change the password of an account") {
            let (_, row) = try row(of: account, in: place)
            let vault = try open(row, of: account, former)
            defer { vault.lock() }
            guard let slot = try vault.keySlots().first else {
                throw RecordError(.damaged, "change the password of an account: it has none")
            }
            try vault.changeSlot(slot.number, to: key)
        }
    }

    /// Gives an account another service key and the next epoch, without its former password: what
    /// was sealed for it before opens no more.
    ///
    /// The former sealed key goes in the commit that brings the new one, and its vault after it:
    /// where the process ends in between, a vault is left in which nothing was sealed. What copies
    /// of this store from before the reset still open is said at ``AccountKeyring``.
    ///
    /// - Returns: the account's new epoch.
    /// - Throws: `unknownItem`; `unavailable` also where somebody else resets it at this moment.
    @discardableResult
    package func reset(
        _ account: AccountIdentifier, in place: Place, to key: StoreKey
    ) throws(RecordError) -> UInt32 {
        try RecordError.attempt("reset the keys of an account") {
            let (_, former) = try row(of: account, in: place)
            let row = try replaceRow(of: account, in: place, from: former, key)
            // They have the former service key sealed, although they open nothing any more.
            try sessions.endAll(of: account, in: place)
            try drop(former.vaultName(account))
            return row.epoch
        }
    }

    /// Forgets an account's row, where it is there: its sealed key goes with it.
    func forgetRow(of account: AccountIdentifier, in place: Place) throws {
        try store.write { change in
            guard let tree = try change.treeIfPresent(named: Self.accountTree) else { return }
            _ = try change.deleteIfPresent(Self.key(account, place), in: tree)
        }
    }

    func drop(_ vault: String) throws(BullaError) {
        do throws(BullaError) { try store.dropVault(vault) } catch {
            guard error.code == .vaultNotFound else { throw error }
        }
    }

    /// Seals a new service key in a new vault, and puts it in the place of `former`.
    @discardableResult
    private func replaceRow(
        of account: AccountIdentifier, in place: Place, from former: AccountRow?, _ key: StoreKey
    ) throws -> AccountRow {
        var row = AccountRow(epoch: (former?.epoch ?? 0) + 1, vault: try .new(), sealedKey: [])
        let vault = try store.createVault(row.vaultName(account), keys: [key])
        defer { vault.lock() }
        do {
            let serviceKey = try SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount)
            try store.write { change in
                let tree = try change.openOrCreateTree(named: Self.accountTree)
                let name = Self.key(account, place)
                let current = try change.value(forKey: name, in: tree)
                guard try current.map({ try AccountRow($0) }) == former else {
                    throw RecordError(
                        .unavailable, "change the keys of an account: somebody else does",
                        retryAfter: 1)
                }
                let identity = identity(of: account, in: place, epoch: row.epoch, tree)
                row.sealedKey = try vault.seal(serviceKey, for: identity)
                try change.put(row.bytes, forKey: name, in: tree)
            }
        } catch let error as RecordError {
            // Nothing was sealed in it. After an error of the store the commit may stand, and need
            // the vault.
            try drop(row.vaultName(account))
            throw error
        }
        return row
    }

    private func open(
        _ row: AccountRow, of account: AccountIdentifier, _ key: StoreKey
    ) throws -> Vault {
        do throws(BullaError) {
            return try store.openVault(row.vaultName(account), key: key)
        } catch {
            guard error.code == .vaultNotFound else { throw error }
            // Reset or deleted after the row was read.
            throw RecordError(.unavailable, "open an account: its keys change", retryAfter: 1)
        }
    }

    private func row(
        of account: AccountIdentifier, in place: Place
    ) throws -> (Tree, AccountRow) {
        try store.read { snapshot in
            guard let tree = try snapshot.treeIfPresent(named: Self.accountTree),
                let bytes = try snapshot.value(forKey: Self.key(account, place), in: tree)
            else { throw Self.unknown(account) }
            return (tree, try AccountRow(bytes))
        }
    }

    private static let accountTree = "accounts"

    static func unknown(_ account: AccountIdentifier) -> RecordError {
        RecordError(.unknownItem, "use account \(account.userRecordName): there is none")
    }

    private static func prefix(_ place: Place) -> [UInt8] { ByteTuple("account", place).bytes }

    private static func key(_ account: AccountIdentifier, _ place: Place) -> [UInt8] {
        prefix(place) + account.identifier.bytes
    }

    /// What a service key is sealed for: its account and epoch.
    private func identity(
        of account: AccountIdentifier, in place: Place, epoch: UInt32, _ tree: Tree
    ) -> SealedIdentity {
        SealedIdentity(tree: tree, key: Self.key(account, place), sequence: UInt64(epoch))
    }
}
