public import Bulla

/// Vaults, which seal what models say is to be sealed.
extension ObjectDatabase {
    /// Makes a vault in the store, and has the database use it.
    ///
    /// - Parameters:
    ///   - name: what models call it.
    ///   - keys: each of which opens it.
    ///   - lentByteLimit: as of ``unlock(_:key:lentByteLimit:)``.
    /// - Returns: the vault, for its counts, slots and failures.
    /// - Throws: `store`, with what the store says: `vaultExists`, say.
    @discardableResult
    public func createVault(
        _ name: String, keys: [StoreKey], lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(ObjectError) -> Vault {
        let vault = try ObjectError.ofStore { () throws(BullaError) in
            try store.createVault(name, keys: keys, lentByteLimit: lentByteLimit)
        }
        try use(vault)
        return vault
    }

    /// Opens a vault of the store, and has the database use it.
    ///
    /// Objects that were fetched hold on to it: its keys are wiped when it is locked, or the store
    /// closed, and not when the database is forgotten.
    ///
    /// - Parameters:
    ///   - name: what models call it.
    ///   - key: one that opens it.
    ///   - lentByteLimit: how much cleartext may be lent at once; an object that is longer does not
    ///     open.
    /// - Returns: the vault.
    /// - Throws: `store`, with what the store says: `wrongKey`, `vaultNotFound`, say.
    @discardableResult
    public func unlock(
        _ name: String, key: StoreKey, lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(ObjectError) -> Vault {
        let vault = try ObjectError.ofStore { () throws(BullaError) in
            try store.openVault(name, key: key, lentByteLimit: lentByteLimit)
        }
        try use(vault)
        return vault
    }

    /// Has the database use a vault that is open.
    ///
    /// - Throws: `store`, with `otherStore` for a vault of another store.
    public func use(_ vault: Vault) throws(ObjectError) {
        let tree = try ObjectError.whileScanning {
            try store.read(visibility: .published) { try $0.tree(named: SchemaTree.name) }
        }
        try ObjectError.ofStore { () throws(BullaError) in
            // Refuses a vault of another store.
            _ = try vault.seal("", for: SealedIdentity(tree: tree, key: ""))
        }
        program.vaults.add(vault, tree)
    }

    /// Locks a vault that the database uses: what it has sealed is not opened any more.
    ///
    /// - Returns: `false` where the database does not use one of that name.
    @discardableResult
    public func lock(_ name: String) -> Bool {
        guard let vault = program.vaults.remove(name) else { return false }
        vault.lock()
        return true
    }
}
