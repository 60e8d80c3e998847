internal import BullaCipher
internal import BullaMemory

/// A collection of entities of one type in one tree, each sealed separately by a vault.
///
/// The tree holds each entity's key in clear or, if even the keys are to be hidden, an HMAC of it.
/// Everything else is one opaque blob: nobody can read the names or the values of the entity's
/// properties without the vault.
///
/// ```swift
/// struct Login: Codable, Sendable { var user: String; var notes: String }
///
/// let logins = SealedCollection<Login>("logins", in: vault)
/// try store.write { try logins.save(Login(user: "ada", notes: ""), forKey: "mail", in: &$0) }
/// let login = try store.read { try logins.fetch("mail", in: $0) }    // nothing is opened
/// let user = try login?.open().user                                  // the entity is opened
/// ```
public struct SealedCollection<Entity: Codable & Sendable>: Sendable {
    /// Whether the tree shows the entities' keys.
    public enum Keys: Sendable {
        /// The tree holds the keys in clear, in sorted order.
        case clear
        /// The tree holds an HMAC in place of each key, so neither the keys nor their order can be
        /// read.
        case hidden
    }

    /// The vault that seals the entities.
    public let vault: Vault
    /// The name of the tree.
    public let treeName: TreeName
    let keys: Keys

    /// Makes a collection in the tree of the given name, which the first ``save(_:forKey:in:)``
    /// creates.
    public init(_ treeName: some ByteSource, in vault: Vault, keys: Keys = .clear) {
        self.treeName = TreeName(
            bytes: treeName.withBytes { bytes in bytes.withView { $0.copied() } })
        self.vault = vault
        self.keys = keys
    }

    /// The entity of a key, unopened; `nil` if the key is missing.
    ///
    /// - Parameters:
    ///   - key: the entity's own key, even if the collection hides its keys.
    ///   - reader: a snapshot or a transaction of the vault's store.
    /// - Throws: `otherStore`; `vaultLocked` if the collection hides its keys; what reading throws
    ///   (``TreeReader``).
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
        // Not `Optional.map`, which would look up the metadata of the generic result at run time.
        guard let record else { return nil }
        return SealedEntity(record)
    }

    /// Visits the entities of a range in key order, unopened, until `body` stops.
    ///
    /// In a collection that hides its keys, the range and the order refer to the HMACs.
    ///
    /// - Parameters:
    ///   - reader: a snapshot or a transaction of the vault's store.
    ///   - range: the range of keys to visit.
    ///   - order: whether to visit them in ascending or in descending order.
    ///   - body: receives an entity, and returns whether to continue.
    /// - Throws: what `body` throws; `otherStore`; what reading throws (``TreeReader``).
    public func forEach(
        in reader: borrowing some TreeReader & ~Copyable, _ range: KeyRange = .all,
        order: ScanOrder = .ascending, _ body: (SealedEntity<Entity>) throws -> ScanStep
    ) throws {
        guard let tree = try tree(in: reader) else { return }
        let origin = SealedOrigin(vault, tree)
        try reader.scan(tree, range, order: order) { key, blob in
            try body(
                SealedEntity(
                    key.withView { key in blob.withView { SealedRecord(key, $0, origin) } }))
        }
    }

    /// The number of entities.
    ///
    /// - Throws: `otherStore`; what reading throws (``TreeReader``).
    /// - Complexity: as ``TreeReader/count(of:)``.
    public func count(
        in reader: borrowing some TreeReader & ~Copyable
    ) throws(BullaError) -> Int {
        guard let tree = try tree(in: reader) else { return 0 }
        return try reader.count(of: tree)
    }

    /// Opens the entities of a range, and lists those that do not open.
    ///
    /// - Throws: `vaultLocked`; `otherStore`; what reading throws (``TreeReader``).
    /// - Complexity: as ``forEach(in:_:order:_:)``, and opening each entity; all opened entities
    ///   are in memory at the same time.
    public func openAll(
        in reader: borrowing some TreeReader & ~Copyable, _ range: KeyRange = .all
    ) throws(BullaError) -> SealedFetch<Entity> {
        var fetch = SealedFetch<Entity>()
        do {
            try forEach(in: reader, range) { sealed in
                do throws(BullaError) {
                    fetch.entities.append((sealed.key, try sealed.open()))
                } catch {
                    guard error.code != .vaultLocked else { throw error }
                    fetch.failures.append(sealed.failure(error))
                }
                return .next
            }
        } catch {
            throw BullaError(error, during: "read \(vault.place)")
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

    /// Lends the key under which the tree holds an entity.
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
