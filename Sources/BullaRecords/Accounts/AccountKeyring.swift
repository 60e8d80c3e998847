package import Bulla
package import BullaMemory

/// The store of accounts' service keys, each protected by its owner's password or key.
///
/// It is separate from the store of records, and the two are backed up separately, so that a copy
/// of one reveals nothing of the other. Every account has a vault, which its password or key opens,
/// and in which its service key is sealed. A place is a container in one of its environments.
///
///     tree        key                   value
///     accounts    place, account        ``AccountRow``: epoch, vault, service key sealed in it
///     containers  place                 the container's secret, sealed in the service's vault
///     names       place, name           the account that signs in by it
///     sessions    place, session        ``SessionRow``: hash of a secret, service key sealed by it
///     programs    place, hash           name of the program whose API token has this hash
///     servers     place, key ID         name and public key of a server
///     roles       place, account, role  nothing: the account has the role
///     developers  place, account        nothing: the account may promote the schema
///     leaving     place, account        nothing: the account's deletion has begun
///     signatures  digest                expiry of a signature that was used for a write
///
/// Changing a password, resetting a key and deleting an account affect only this store. An older
/// copy of it still opens with the former password or key, and yields the service key of that time.
/// That key opens everything that is sealed for the account between two resets, because only a
/// reset replaces the key: a change of the password does not. If a copy of this store must no
/// longer open data, destroy the copy.
///
/// Any number of processes can have the store open. Calls block; those that take a password also
/// spend the time to stretch it.
package final class AccountKeyring: Sendable {
    let store: Store

    /// - Parameter store: the keyring's own encrypted store, to which only keyrings write.
    package init(_ store: Store) { self.store = store }

    package var containers: ContainerSecrets { ContainerSecrets(store) }
    package var names: AccountNames { AccountNames(store) }
    package var sessions: AccountSessions { AccountSessions(self) }
    package var roles: AccountRoles { AccountRoles(self) }
    package var developers: AccountDevelopers { AccountDevelopers(self) }
    package var programs: AdmittedPrograms { AdmittedPrograms(store) }
    package var servers: SigningServers { SigningServers(store) }
    package var signatures: UsedSignatures { UsedSignatures(store) }

    /// Creates an account with a new service key.
    ///
    /// - Parameter key: the owner's password or another key.
    /// - Throws: `invalidArguments` for a key that cannot open a vault; `unavailable`,
    ///   `internalError`.
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
    /// - Throws: `authenticationFailed` if the key is not the account's; `unknownItem` if there is
    ///   no such account; `damaged`; `unavailable`, `internalError`.
    package func unlock(
        _ account: AccountIdentifier, in place: Place, with key: StoreKey
    ) throws(RecordError) -> AccountKeys {
        try withServiceKey(of: account, in: place, unlockedBy: key) { epoch, serviceKey in
            try AccountKeys(account, in: place, epoch: epoch, serviceKey: serviceKey)
        }
    }

    /// Lends `body` an account's service key, for instance to seal it for a session.
    ///
    /// - Throws: the errors of ``unlock(_:in:with:)``, and what `body` throws.
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
                    throw RecordError(.damaged, "open an account: its key has a wrong length")
                }
                return try body(row.epoch, SecretBytes(copying: bytes))
            }
        }
    }

    /// The epoch of an account's keys, which is one more than the number of their resets; `nil` if
    /// there is no such account.
    ///
    /// A program whose session has keys of another epoch must ask for the owner's key again.
    ///
    /// - Complexity: one lookup in a snapshot; needs no password.
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

    /// All accounts of a place, sorted by identifier.
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
    /// Gives an account another password or key; its service key and its sessions stay.
    ///
    /// - Throws: the errors of ``unlock(_:in:with:)``.
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

    /// Gives an account a new service key and the next epoch, without its former password: what was
    /// sealed for it before can no longer be opened.
    ///
    /// The commit that adds the new sealed key also removes the former one; the vault of the former
    /// key is deleted afterwards. A process that ends in between leaves behind a vault in which
    /// nothing is sealed. For older copies of this store, see ``AccountKeyring``.
    ///
    /// - Returns: the account's new epoch.
    /// - Throws: `unknownItem`; `unavailable`, also if another caller is resetting the account.
    @discardableResult
    package func reset(
        _ account: AccountIdentifier, in place: Place, to key: StoreKey
    ) throws(RecordError) -> UInt32 {
        try RecordError.attempt("reset the keys of an account") {
            let (_, former) = try row(of: account, in: place)
            let row = try replaceRow(of: account, in: place, from: former, key)
            // The sessions open nothing any more, but their rows still contain the former service
            // key.
            try sessions.endAll(of: account, in: place)
            try drop(former.vaultName(account))
            return row.epoch
        }
    }

    /// Deletes an account's row, if it exists, and with it the sealed key.
    func forgetRow(of account: AccountIdentifier, in place: Place) throws {
        try store.write { change in
            guard let tree = try change.treeIfPresent(named: Self.accountTree) else { return }
            _ = try change.deleteIfPresent(Self.key(account, place), in: tree)
        }
    }

    func drop(_ vault: String) throws(BullaError) {
        do throws(BullaError) { try store.dropVault(named: vault) } catch {
            guard error.code == .vaultNotFound else { throw error }
        }
    }

    /// Seals a new service key in a new vault, and stores a row with both in place of `former`.
    @discardableResult
    private func replaceRow(
        of account: AccountIdentifier, in place: Place, from former: AccountRow?, _ key: StoreKey
    ) throws -> AccountRow {
        var row = AccountRow(epoch: (former?.epoch ?? 0) + 1, vault: try .new(), sealedKey: [])
        let vault = try store.createVault(named: row.vaultName(account), keys: [key])
        defer { vault.lock() }
        do {
            let serviceKey = try SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount)
            try store.write { change in
                let tree = try change.openOrCreateTree(named: Self.accountTree)
                let name = Self.key(account, place)
                let current = try change.value(forKey: name, in: tree)
                guard try current.map({ try AccountRow($0) }) == former else {
                    throw RecordError(
                        .unavailable, "change the keys of an account: somebody else just did",
                        retryAfter: 1)
                }
                let identity = identity(of: account, in: place, epoch: row.epoch, tree)
                row.sealedKey = try vault.seal(serviceKey, for: identity)
                try change.put(row.bytes, forKey: name, in: tree)
            }
        } catch let error as RecordError {
            // A `RecordError` prevents the commit, so drop the new vault, in which nothing is
            // sealed. After an error of the store, keep the vault, because the commit may have
            // succeeded.
            try drop(row.vaultName(account))
            throw error
        }
        return row
    }

    private func open(
        _ row: AccountRow, of account: AccountIdentifier, _ key: StoreKey
    ) throws -> Vault {
        do throws(BullaError) {
            return try store.openVault(named: row.vaultName(account), key: key)
        } catch {
            guard error.code == .vaultNotFound else { throw error }
            // The account was reset or deleted after the row was read.
            throw RecordError(.unavailable, "open an account: its keys changed", retryAfter: 1)
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

    /// The identity to which a service key is bound: its account and epoch.
    private func identity(
        of account: AccountIdentifier, in place: Place, epoch: UInt32, _ tree: Tree
    ) -> SealedIdentity {
        SealedIdentity(tree: tree, key: Self.key(account, place), sequence: UInt64(epoch))
    }
}
