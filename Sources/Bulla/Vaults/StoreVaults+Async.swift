internal import Dispatch

/// Creates, opens and drops vaults without blocking the threads that tasks share.
extension Store {
    /// Creates a vault, and opens it, without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - name: the vault's name.
    ///   - keys: the keys, passwords or key services that open the vault; at least one.
    ///   - labels: the labels of the slots, in the order of `keys`.
    ///   - lentByteLimit: how much cleartext may be lent at once, in all closures together.
    /// - Throws: as the form that is not `async`.
    public func createVault(
        named name: String, keys: [StoreKey], labels: [String?] = [],
        lentByteLimit: Int = Vault.defaultLentByteLimit
    ) async throws(BullaError) -> Vault {
        try await core.changeAside { [self] () throws(BullaError) in
            try createVault(named: name, keys: keys, labels: labels, lentByteLimit: lentByteLimit)
        }
    }

    /// Opens a vault without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - name: the vault's name.
    ///   - key: one of the keys that open the vault.
    ///   - lentByteLimit: how much cleartext may be lent at once, in all closures together.
    /// - Throws: as the form that is not `async`.
    public func openVault(
        named name: String, key: StoreKey, lentByteLimit: Int = Vault.defaultLentByteLimit
    ) async throws(BullaError) -> Vault {
        try await DispatchQueue(label: "bulla.vault").run { [self] () throws(BullaError) in
            try openVault(named: name, key: key, lentByteLimit: lentByteLimit)
        }
    }

    /// Drops a vault without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func dropVault(named name: String) async throws(BullaError) {
        try await core.changeAside { [self] () throws(BullaError) in
            try dropVault(named: name)
        }
    }
}
