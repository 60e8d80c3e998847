internal import BullaMemory

/// One version of a part of an entity, unopened.
public struct SealedVersion<Part: Codable & Sendable>: Sendable {
    /// The number of the version; the versions of this part of this entity are numbered from 1.
    public let sequence: UInt64
    private let blob: [UInt8]
    private let identity: SealedIdentity
    private let vault: Vault

    init(_ sequence: UInt64, _ blob: [UInt8], _ identity: SealedIdentity, _ vault: Vault) {
        (self.sequence, self.blob, self.identity, self.vault) = (sequence, blob, identity, vault)
    }

    /// Opens the version.
    ///
    /// - Returns: the part, and the date that was given for it, as the time since 1970-01-01 UTC.
    /// - Throws: as ``SealedEntity/open()``.
    public func open() throws(BullaError) -> (part: Part, timeSince1970: Duration) {
        let cleartext = try opened()
        return (
            try cleartext.decode(Part.self, in: vault, from: HistoryEntry.dateByteCount),
            cleartext.withView { HistoryEntry.date(in: $0) }
        )
    }

    /// - Parameter isCounted: whether the vault's statistics count the call; `false` if the history
    ///   opens the version for itself.
    func opened(isCounted: Bool = true) throws(BullaError) -> OpenedBlob {
        try blob.withTypedView { blob throws(BullaError) in
            try identity.withPlace { place throws(BullaError) in
                try vault.opened(blob, for: place, isCounted: isCounted)
            }
        }
    }
}

/// The current and former values of one part of each entity in a collection: newest first, each
/// sealed alone, with its date.
public struct SealedHistory<Part: Codable & Sendable>: Sendable {
    let treeName: TreeName
    let property: UInt32
    let limit: Int
    let age: Duration?
    let vault: Vault
    /// Whether an HMAC replaces each entity's key, both in this history and in its collection.
    let hidesKeys: Bool

    /// The versions of an entity's part, newest first, unopened.
    ///
    /// - Throws: `otherStore`; `vaultLocked` if the collection hides its keys; what reading throws
    ///   (``TreeReader``).
    public func versions(
        ofKey key: some ByteSource, in reader: borrowing some TreeReader & ~Copyable
    ) throws(BullaError) -> [SealedVersion<Part>] {
        guard let tree = try reader.treeIfPresent(named: treeName) else { return [] }
        try vault.check(tree)
        var versions: [SealedVersion<Part>] = []
        let prefix = HistoryEntry.prefix(try self.key(key, tree), property)
        do {
            try reader.scan(tree, .prefix(prefix)) { place, blob in
                let place = place.withView { $0.copied() }
                let sequence = HistoryEntry.sequence(of: place)
                versions.append(
                    SealedVersion(
                        sequence, blob.withView { $0.copied() },
                        SealedIdentity(tree: tree, key: place), vault))
                return .next
            }
        } catch {
            throw BullaError(error, during: "read \(vault.place)")
        }
        return versions
    }

    /// Seals a new version, and removes surplus and outdated versions.
    ///
    /// - Parameters:
    ///   - part: the new value of the part.
    ///   - key: the entity's key.
    ///   - date: when the part got this value, as the time since 1970-01-01 UTC; stored in
    ///     microseconds.
    ///   - transaction: a transaction of the vault's store.
    /// - Throws: `vaultLocked`; `otherStore`; `entityMismatch`; `outOfMemory` if no memory could be
    ///   locked; `keyTooLarge` if a key in clear is longer than the store's limit minus 14 bytes;
    ///   what writing throws (``WriteTransaction``).
    /// - Complexity: reads all versions of the entity's part; with an age limit, also opens them,
    ///   up to the first that is removed.
    public func append(
        _ part: Part, forKey key: some ByteSource, timeSince1970 date: Duration,
        in transaction: inout WriteTransaction
    ) throws(BullaError) {
        try vault.check(transaction)
        let encoded = try vault.encode(part)
        let tree = try transaction.openOrCreateTree(named: treeName)
        let former = try versions(ofKey: key, in: transaction)
        let last = former.first?.sequence ?? 0
        guard last < .max else {
            throw BullaError(
                .sealDamaged, "seal a version in \(vault.place): no version number is left")
        }
        let sequence = last + 1
        let entity = try self.key(key, tree)
        let place = HistoryEntry.place(entity, property, sequence)
        let cleartext = try encoded.withView { part throws(BullaError) in
            try HistoryEntry.cleartext(part, date, vault)
        }
        // The key in the tree names the property and the version, so the `SealedPlace` has 0 for
        // both.
        let blob = try cleartext.withView { cleartext throws(BullaError) in
            try place.withTypedView { place throws(BullaError) in
                try vault.sealed(cleartext, for: SealedPlace(tree: tree, key: place))
            }
        }
        try transaction.put(blob, forKey: place, in: tree)
        try prune(former, entity, tree, date, &transaction)
    }

    /// Removes all versions of an entity's part.
    ///
    /// - Throws: `otherStore`; `vaultLocked` if the collection hides its keys; what writing throws
    ///   (``WriteTransaction``).
    public func delete(
        _ key: some ByteSource, in transaction: inout WriteTransaction
    ) throws(BullaError) {
        guard let tree = try transaction.treeIfPresent(named: treeName) else { return }
        try vault.check(tree)
        let prefix = HistoryEntry.prefix(try self.key(key, tree), property)
        _ = try transaction.deleteRange(.prefix(prefix), in: tree)
    }

    /// An entity's key as it appears in the keys of the history's tree: in clear or as an HMAC.
    private func key(_ key: some ByteSource, _ tree: Tree) throws(BullaError) -> [UInt8] {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                hidesKeys ? try vault.hiddenKey(key, tree) : key.copied()
            }
        }
    }

    /// The date of a version; `nil` if it does not open.
    ///
    /// The age of a version that is damaged, too long or from another vault is unknown. Such a
    /// version is removed only if newer ones fill the history, or together with a newer version
    /// that is too old.
    private func date(of version: SealedVersion<Part>) throws(BullaError) -> Duration? {
        do throws(BullaError) {
            return try version.opened(isCounted: false).withView { HistoryEntry.date(in: $0) }
        } catch {
            guard error.leavesBlobUnopened else { throw error }
            return nil
        }
    }

    private func prune(
        _ former: [SealedVersion<Part>], _ key: [UInt8], _ tree: Tree, _ now: Duration,
        _ transaction: inout WriteTransaction
    ) throws(BullaError) {
        for (index, version) in former.enumerated() {
            // The new version, which is not in the list, counts as the first that is kept.
            var isKept = index + 1 < limit
            if isKept, let age, let date = try date(of: version) { isKept = now - date <= age }
            guard !isKept else { continue }
            // The versions after this one in the list are older, so remove them too.
            for gone in former[index...] {
                try transaction.delete(
                    HistoryEntry.place(key, property, gone.sequence), in: tree)
            }
            return
        }
    }
}

/// The layout of a version in its tree.
///
///     key     bytes  field
///                 2  n, big-endian
///                 n  key of the entity
///                 4  property, big-endian
///                 8  the sequence's complement, big-endian, so the newest comes first
///     value       -  blob of: microseconds since 1970-01-01 UTC in 8 bytes, the part
enum HistoryEntry {
    static let dateByteCount = 8

    static func prefix(_ key: some ByteSource, _ property: UInt32) -> [UInt8] {
        let key = key.withBytes { bytes in bytes.withView { $0.copied() } }
        var prefix: [UInt8] = [UInt8(truncatingIfNeeded: key.count >> 8), UInt8(key.count & 255)]
        prefix += key
        prefix.append(bigEndian: property)
        return prefix
    }

    static func place(
        _ key: some ByteSource, _ property: UInt32, _ sequence: UInt64
    ) -> [UInt8] {
        var place = prefix(key, property)
        place.append(bigEndian: ~sequence)
        return place
    }

    static func sequence(of place: [UInt8]) -> UInt64 {
        ~place.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The date and the part, in memory that is wiped when it is released.
    static func cleartext(
        _ part: ByteView, _ date: Duration, _ vault: Vault
    ) throws(BullaError) -> SecretBytes {
        do {
            var bytes = try SecretBytes(byteCount: dateByteCount + part.byteCount)
            let (seconds, attoseconds) = date.components
            let microseconds = seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
            bytes.withMutableView { bytes in
                bytes.store(UInt64(bitPattern: microseconds), at: 0)
                bytes.copy(part, to: dateByteCount)
            }
            return bytes
        } catch { throw BullaError.memory("seal in \(vault.place)", error) }
    }

    static func date(in cleartext: ByteView) -> Duration {
        .microseconds(Int64(bitPattern: cleartext.load(UInt64.self, at: 0)))
    }
}
