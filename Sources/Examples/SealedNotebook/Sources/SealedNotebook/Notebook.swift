public import Bulla
public import BullaObjects

/// A file of logins, which one password opens.
///
/// The password opens two things: the store, which hides every page and notices every change; and
/// in it the vault, under whose key each login and each password is sealed once more, alone. So
/// nothing is opened before somebody looks at it, and ``lock()`` shuts all of it while the names
/// can still be listed.
///
/// Several notebooks may be open at once, each under a password of its own.
public struct Notebook: Sendable {
    private static let vault = "logins"

    /// The store of the logins.
    public let database: ObjectDatabase

    /// Opens a notebook.
    ///
    /// - Parameter creation: whether it is made, or may be.
    /// - Throws: what `ObjectDatabase.open` says: for a wrong password, `store` with the cause
    ///   `wrongKey`.
    public init(
        at path: String, password: Secret, creation: StoreOptions.Creation = .never
    ) throws {
        let key = try StoreKey.password(password)
        var options = StoreOptions()
        options.creation = creation
        database = try .open(at: path, key: key, options: options, models: Login.self)
        // A process that was killed while it made the notebook may have left it without its vault.
        if try database.store.vaultNames().contains(Self.vault) {
            try database.unlock(Self.vault, key: key)
        } else {
            try database.createVault(Self.vault, keys: [key])
        }
    }

    /// All logins, sorted by name; none of them is opened.
    public func logins() throws -> [SealedObject<Login>] {
        try database.read { try $0.fetch(Login.all) }
    }

    /// The login of a name, unopened; `nil` where there is none.
    public func login(_ name: String) throws -> SealedObject<Login>? {
        try database.read { try $0.fetch(Login.self, key: name) }
    }

    /// The passwords that a login had before today's, the newest first, unopened.
    public func formerPasswords(of name: String) throws -> [Sealed<Secret>] {
        try database.read { try $0.history(Login.self, key: name, of: \.password) }
    }

    /// Writes a login; its former password, where that was another, goes to the former ones.
    public func save(_ login: Login) throws {
        try database.write { try $0.upsert(login) }
    }

    /// Forgets a login and its passwords; `false` where there is none.
    public func delete(_ name: String) throws -> Bool {
        try database.write { try $0.delete(Login.self, key: name) }
    }

    /// Wipes what opens the logins; their names can still be listed.
    public func lock() { database.lock(Self.vault) }

    /// Opens them again.
    ///
    /// - Throws: `store`, with the cause `wrongKey`, for a wrong password; the notebook stays
    ///   locked.
    public func unlock(_ password: Secret) throws {
        try database.unlock(Self.vault, key: .password(password))
    }

    /// Locks the notebook, and gives up its file.
    public func close() throws { try database.store.close() }
}
