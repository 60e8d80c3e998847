public import Bulla
public import BullaObjects

/// A file of logins, opened with a single password.
///
/// The password opens two things: the store, which encrypts every page and detects any change to
/// one; and a vault in the store, which seals each login and each password separately. So nothing
/// is opened before it is needed. After ``lock()`` nothing can be opened, but the names can still
/// be listed.
///
/// Several notebooks can be open at once, each with its own password.
public struct Notebook: Sendable {
    private static let vault = "logins"

    /// The store of the logins.
    public let database: ObjectDatabase

    /// Opens a notebook.
    ///
    /// - Parameter creation: whether to create the notebook.
    /// - Throws: the errors of `ObjectDatabase.open`; for a wrong password, the error `store` with
    ///   the cause `wrongKey`.
    public init(
        at path: String, password: Secret, creation: StoreOptions.Creation = .never
    ) throws {
        let key = try StoreKey.password(password)
        database = try .open(
            at: path, key: key, options: StoreOptions(creation: creation), models: Login.self)
        // A process that was killed during the creation may have left a store without its vault.
        if try database.store.vaultNames().contains(Self.vault) {
            try database.openVault(named: Self.vault, key: key)
        } else {
            try database.createVault(named: Self.vault, keys: [key])
        }
    }

    /// All logins, sorted by name, unopened.
    public func logins() throws -> [SealedObject<Login>] {
        try database.read { try $0.fetch(Login.all) }
    }

    /// The login with a name, unopened; `nil` if there is none.
    public func login(_ name: String) throws -> SealedObject<Login>? {
        try database.read { try $0.fetch(Login.self, key: name) }
    }

    /// The former passwords of a login, the newest first, unopened.
    public func formerPasswords(of name: String) throws -> [Sealed<Secret>] {
        try database.read { try $0.history(Login.self, key: name, of: \.password) }
    }

    /// Saves a login; if its password has changed, the previous one is kept.
    public func save(_ login: Login) throws {
        try database.write { try $0.upsert(login) }
    }

    /// Deletes a login and its passwords; returns `false` if there is none.
    public func delete(_ name: String) throws -> Bool {
        try database.write { try $0.delete(Login.self, key: name) }
    }

    /// Wipes the vault's keys; the names can still be listed.
    public func lock() { database.lockVault(named: Self.vault) }

    /// Opens the vault again.
    ///
    /// - Throws: `store`, with the cause `wrongKey`, for a wrong password; the notebook stays
    ///   locked.
    public func unlock(_ password: Secret) throws {
        try database.openVault(named: Self.vault, key: .password(password))
    }

    /// Locks the notebook, and closes its file.
    public func close() throws { try database.store.close() }
}
