internal import BullaCipher
internal import BullaMemory

/// Entities of one type in one tree, each sealed by itself in a vault.
///
/// The key stands in clear, or by its HMAC where even the key is private; everything else of an
/// entity is one opaque blob: neither its properties' names nor their values can be read without
/// the vault.
///
/// ```swift
/// struct Login: Codable, Sendable { var user: String; var notes: String }
///
/// let logins = SealedCollection<Login>("logins", in: vault)
/// try store.write { try logins.save(Login(user: "ada", notes: ""), forKey: "mail", in: &$0) }
/// let login = try store.read { try logins.fetch("mail", in: $0) }    // nothing is opened
/// let user = try login?.open().user                                  // it is here
/// ```
public struct SealedCollection<Entity: Codable & Sendable>: Sendable {
    /// Where the entities' keys can be read.
    public enum Keys: Sendable {
        /// In the tree, in clear, and sorted.
        case clear
        /// Nowhere: an HMAC stands in each key's place, and the order is lost.
        case hidden
    }

    /// The vault that seals.
    public let vault: Vault
    /// The tree's name, as bytes.
    public let treeName: [UInt8]
    let keys: Keys

    /// A collection in the tree of that name, which the first ``save(_:forKey:in:)`` makes.
    public init(_ treeName: some ByteSource, in vault: Vault, keys: Keys = .clear) {
        self.treeName = treeName.withBytes { bytes in bytes.withView { $0.copied() } }
        self.vault = vault
        self.keys = keys
    }

    /// The entity of a key, unopened; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - key: the entity's, whether or not the collection hides it.
    ///   - reader: a snapshot or a transaction of the vault's store.
    /// - Throws: `otherStore`; what reading throws.
    /// - Complexity: one lookup, and a copy of the blob.
    public func fetch(
        _ key: some ByteSource, in reader: borrowing some TreeReader & ~Copyable
    ) throws(BullaError) -> SealedEntity<Entity>? {
        guard let tree = try tree(in: reader) else { return nil }
        let record = try withKey(key, tree) { key throws(BullaError) -> SealedRecord? in
            let blob = try key.withSpan { key throws(BullaError) in
                try reader.value(forKey: key, in: tree)
            }
            return blob?.withView { SealedRecord(key, $0, SealedOrigin(vault, tree)) }
        }
        // `Optional.map` would look up the metadata of the generic result at run time.
        guard let record else { return nil }
        return SealedEntity(record)
    }

    /// Visits entities in the order of their keys, unopened.
    ///
    /// - Throws: what `body` throws; `otherStore`; what reading throws.
    public func forEach(
        in reader: borrowing some TreeReader & ~Copyable, _ range: KeyRange = .all,
        _ body: (SealedEntity<Entity>) throws -> Void
    ) throws {
        guard let tree = try tree(in: reader) else { return }
        let origin = SealedOrigin(vault, tree)
        try reader.scan(tree, range) { key, blob in
            try body(
                SealedEntity(
                    key.withView { key in blob.withView { SealedRecord(key, $0, origin) } }))
            return .next
        }
    }

    /// How many entities there are.
    public func count(
        in reader: borrowing some TreeReader & ~Copyable
    ) throws(BullaError) -> Int {
        guard let tree = try tree(in: reader) else { return 0 }
        return try reader.count(of: tree)
    }

    /// Opens all entities of a range; those that do not open are named, and cost no other.
    ///
    /// - Throws: `vaultLocked`, `otherStore`; what reading throws.
    public func openAll(
        in reader: borrowing some TreeReader & ~Copyable, _ range: KeyRange = .all
    ) throws -> SealedFetch<Entity> {
        var fetch = SealedFetch<Entity>()
        try forEach(in: reader, range) { sealed in
            do throws(BullaError) {
                fetch.entities.append((sealed.key, try sealed.open()))
            } catch {
                guard error.code != .vaultLocked else { throw error }
                fetch.failures.append(sealed.failure(error))
            }
        }
        return fetch
    }

    private func tree(
        in reader: borrowing some TreeReader & ~Copyable
    ) throws(BullaError) -> Tree? {
        let tree = try reader.treeIfPresent(named: treeName)
        if let tree { try vault.check(tree) }
        return tree
    }

    /// Lends what stands in the tree for a key.
    @inline(__always)
    func withKey<R>(
        _ key: some ByteSource, _ tree: Tree, _ body: (ByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                guard keys == .hidden else { return try body(key) }
                return try vault.hiddenKey(key, tree).withTypedView(body)
            }
        }
    }
}
