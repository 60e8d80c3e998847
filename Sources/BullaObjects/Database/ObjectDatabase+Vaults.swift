public import Bulla

/// The vaults that seal the properties and models declared as sealed.
extension ObjectDatabase {
    /// Creates a vault in the store, and makes the database use it.
    ///
    /// - Parameters:
    ///   - name: the name by which models refer to it.
    ///   - keys: the keys, each of which opens it.
    ///   - lentByteLimit: as in ``openVault(named:key:lentByteLimit:)``.
    /// - Returns: the vault, for its counts, slots and failures.
    /// - Throws: `store`, with the store's error, such as `vaultExists`.
    @discardableResult
    public func createVault(
        named name: String, keys: [StoreKey], lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(ObjectError) -> Vault {
        let vault = try ObjectError.ofStore { () throws(BullaError) in
            try store.createVault(named: name, keys: keys, lentByteLimit: lentByteLimit)
        }
        try use(vault)
        return vault
    }

    /// Opens a vault of the store, and makes the database use it.
    ///
    /// Fetched objects keep a reference to the vault. Locking the vault or closing the store wipes
    /// the vault's keys; releasing the last reference to the database does not.
    ///
    /// - Parameters:
    ///   - name: the name by which models refer to it.
    ///   - key: a key that opens it.
    ///   - lentByteLimit: the maximum number of bytes of cleartext that the vault lends at a time,
    ///     to all closures together; the vault cannot open a longer object.
    /// - Returns: the vault.
    /// - Throws: `store`, with the store's error, such as `wrongKey` or `vaultNotFound`.
    @discardableResult
    public func openVault(
        named name: String, key: StoreKey, lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(ObjectError) -> Vault {
        let vault = try ObjectError.ofStore { () throws(BullaError) in
            try store.openVault(named: name, key: key, lentByteLimit: lentByteLimit)
        }
        try use(vault)
        return vault
    }

    /// Makes the database use a vault that is already open.
    ///
    /// - Throws: `store`, with `otherStore` if the vault belongs to another store.
    public func use(_ vault: Vault) throws(ObjectError) {
        let tree = try ObjectError.whileScanning {
            try store.read(visibility: .published) { try $0.tree(named: SchemaTree.name) }
        }
        try ObjectError.ofStore { () throws(BullaError) in
            // This call throws if the vault belongs to another store.
            _ = try vault.seal("", for: SealedIdentity(tree: tree, key: ""))
        }
        program.vaults.add(vault, tree)
    }

    /// Locks a vault that the database uses, so that nothing sealed in the vault can be opened any
    /// more.
    ///
    /// - Returns: `false` if the database uses no vault with that name.
    @discardableResult
    public func lockVault(named name: String) -> Bool {
        guard let vault = program.vaults.remove(name) else { return false }
        vault.lock()
        return true
    }
}
