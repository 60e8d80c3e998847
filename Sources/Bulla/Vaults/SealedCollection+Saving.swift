internal import BullaMemory

/// Changing a collection's entities.
extension SealedCollection {
    /// Seals an entity under a key, in place of the one that is there.
    ///
    /// An entity that is as it was keeps its blob, byte for byte: nothing is sealed or written. One
    /// that is longer than the vault's `lentByteLimit` is always sealed, and opens only where the
    /// vault was opened with a greater one.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: `vaultLocked`; `otherStore`; `entityMismatch` where the entity does not encode;
    ///   `outOfMemory` where no memory could be locked; what writing throws.
    /// - Complexity: where an entity of about this length is there already, opening it.
    @discardableResult
    public func save(
        _ entity: Entity, forKey key: some ByteSource, in transaction: inout WriteTransaction
    ) throws(BullaError) -> Bool {
        try vault.check(transaction)
        let cleartext = try vault.encode(entity)
        let tree = try transaction.openOrCreateTree(named: treeName)
        return try withKey(key, tree) { key throws(BullaError) in
            try save(cleartext, for: SealedPlace(tree: tree, key: key), in: &transaction)
        }
    }

    private func save(
        _ cleartext: borrowing EncodedEntity, for place: SealedPlace,
        in transaction: inout WriteTransaction
    ) throws(BullaError) -> Bool {
        try place.key.withSpan { key throws(BullaError) in
            let former = try transaction.value(forKey: key, in: place.tree)
            return try cleartext.withView { cleartext throws(BullaError) in
                if let former, try vault.holds(cleartext, in: former, for: place) { return false }
                try vault.withSealed(cleartext, for: place) { blob throws(BullaError) in
                    try blob.withSpan { blob throws(BullaError) in
                        try transaction.put(blob, forKey: key, in: place.tree)
                    }
                }
                return true
            }
        }
    }

    /// Removes an entity; `false` where there is none.
    ///
    /// Its history, where it has one, stays: ``SealedHistory/delete(_:in:)``.
    @discardableResult
    public func delete(
        _ key: some ByteSource, in transaction: inout WriteTransaction
    ) throws(BullaError) -> Bool {
        guard let tree = try transaction.treeIfPresent(named: treeName) else { return false }
        try vault.check(tree)
        return try withKey(key, tree) { key throws(BullaError) in
            try key.withSpan { key throws(BullaError) in
                try transaction.deleteIfPresent(key, in: tree)
            }
        }
    }

    /// The former values of a part of the entities that changes on its own, as passwords do.
    ///
    /// They stand in a tree beside this one: its name and `.history`.
    ///
    /// - Parameters:
    ///   - property: tells this part from others; never change it, and never use it again.
    ///   - part: its type.
    ///   - keeping: how many versions are kept of each entity, the newest included; at least one.
    ///   - age: versions that are older go, but for the newest; `nil` keeps them.
    public func history<Part: Codable & Sendable>(
        _ property: UInt32, of part: Part.Type, keeping: Int, notOlderThan age: Duration? = nil
    ) -> SealedHistory<Part> {
        SealedHistory(
            treeName: treeName + Array(".history".utf8), property: property,
            limit: max(keeping, 1), age: age, vault: vault, hidesKeys: keys == .hidden)
    }
}

extension BullaError {
    /// Whether the vault could not open a blob: it is damaged, another vault's, of a newer version,
    /// or no memory for its cleartext could be had.
    var leavesBlobUnopened: Bool {
        [.sealDamaged, .otherVault, .unsupportedFormat, .outOfMemory].contains(code)
    }
}
