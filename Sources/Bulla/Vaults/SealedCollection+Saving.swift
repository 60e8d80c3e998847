internal import BullaMemory

/// Changes a collection's entities.
extension SealedCollection {
    /// Seals an entity, and saves it under a key, in place of any former entity.
    ///
    /// An unchanged entity keeps its blob, byte for byte: nothing is sealed or written. An entity
    /// that is longer than the vault's `lentByteLimit` is an exception: every save seals it, even
    /// if it is unchanged, and it opens only if the vault was opened with a greater limit. The
    /// first save creates the collection's tree.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: `vaultLocked`; `otherStore`; `entityMismatch` if the entity does not encode;
    ///   `outOfMemory` if no memory could be locked; what writing throws (``WriteTransaction``).
    /// - Complexity: encodes and seals the entity; if a former entity has about the same length,
    ///   the call also opens that entity.
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

    /// Removes an entity; `false` if the key is missing.
    ///
    /// This does not remove the entity's history: ``SealedHistory/delete(_:in:)`` does.
    ///
    /// - Throws: `otherStore`; `vaultLocked` if the collection hides its keys; what writing throws
    ///   (``WriteTransaction``).
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

    /// For each entity, the current and former values of one part that changes independently of
    /// the rest, such as a password.
    ///
    /// They lie in a tree of their own, whose name is that of the collection's tree with `.history`
    /// appended.
    ///
    /// - Parameters:
    ///   - property: a number that identifies this part; never change it, and never reuse it for
    ///     another part.
    ///   - part: the type of the part.
    ///   - keeping: how many versions of each entity to keep, including the newest; at least one.
    ///   - age: the age above which a version is removed, unless it is the newest; `nil` for no
    ///     limit.
    public func history<Part: Codable & Sendable>(
        ofProperty property: UInt32, as part: Part.Type, keeping: Int,
        notOlderThan age: Duration? = nil
    ) -> SealedHistory<Part> {
        SealedHistory(
            treeName: TreeName(bytes: treeName.bytes + Array(".history".utf8)),
            property: property, limit: max(keeping, 1), age: age, vault: vault,
            hidesKeys: keys == .hidden)
    }
}

extension BullaError {
    /// Whether the error means that a blob could not be opened.
    ///
    /// If so, the blob is damaged, belongs to another vault or to a newer version of Bulla, or
    /// there was no memory for its cleartext.
    var leavesBlobUnopened: Bool {
        [.sealDamaged, .otherVault, .unsupportedFormat, .outOfMemory].contains(code)
    }
}
