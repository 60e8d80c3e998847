package import BullaMemory

/// 64 random bytes from which all keys of a file, or of a vault, are derived.
///
/// Each new file or vault gets a new secret; a re-encryption gives the file another. The secret is
/// stored in the file, sealed under the user's key, so a change of the user's key changes no other
/// key.
///
///     key        from         seals or authenticates
///     data key   both halves  the pages of one key epoch of one history
///     meta key   second half  the meta slots, the table of key epochs
///     board key  first half   the records on the board of one world
///     ring key   second half  the keyring as a whole
///     former key first half   the secret before this one, while pages are sealed anew
///     successor  first half   the secret after this one, while pages are sealed anew
///     log keys   both halves  the log's segments: see `MasterSecret+Log.swift`
///     vault key  first half   what a vault seals in one epoch, if this is its secret
///     index key  second half  the keys that a vault hides in one tree, if this is its secret
///     pool       second half  nothing: the derived bytes tell which store a page pool serves
package struct MasterSecret: ~Copyable, Sendable {
    package static let byteCount = KeyHalf.bothByteCount
    static let historyByteCount = 16

    package let fileIdentifier: FileIdentifier
    let secret: SecretBytes

    init(_ secret: consuming SecretBytes, fileIdentifier: FileIdentifier) {
        precondition(secret.byteCount == Self.byteCount, "a master secret has two halves")
        self.secret = secret
        self.fileIdentifier = fileIdentifier
    }

    /// A secret whose bytes are known, for example in a test of what the secret opens.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` unless there are 64 bytes.
    package init(
        copying bytes: RawSpan, fileIdentifier: FileIdentifier
    ) throws(CipherError) {
        guard bytes.byteCount == Self.byteCount else { throw CipherError(.badArgument) }
        do throws(MemoryError) {
            self.init(try SecretBytes(copying: bytes), fileIdentifier: fileIdentifier)
        } catch { throw CipherError(error) }
    }

    /// A new secret, for a new file or vault, or for a re-encryption.
    package static func random(
        for fileIdentifier: FileIdentifier
    ) throws(CipherError) -> MasterSecret {
        var secret = try SecretBytes.zeroed(byteCount: byteCount)
        try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
        return MasterSecret(secret, fileIdentifier: fileIdentifier)
    }

    /// The 64 bytes that seal the pages of one key epoch.
    ///
    /// - Parameters:
    ///   - history: the 16 bytes of the history that began the epoch. They are needed because a
    ///     copy of the file with a history of its own has the same secret, and gives its epochs the
    ///     same numbers.
    package func dataKey(
        epoch: UInt32, suite: Suite, history: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        precondition(history.count == Self.historyByteCount, "a history has 16 bytes")
        let which = [suite.rawValue] + epoch.littleEndianBytes + history
        let encrypt = try derive(.first, "bulla data key encrypt v1", which)
        let authenticate = try derive(.second, "bulla data key authenticate v1", which)
        var key = try SecretBytes.zeroed(byteCount: KeyHalf.bothByteCount)
        key.withMutableView { key in
            encrypt.withView { key.copy($0, to: KeyHalf.first.offset) }
            authenticate.withView { key.copy($0, to: KeyHalf.second.offset) }
        }
        return key
    }

    /// The 32 bytes that authenticate the meta slots.
    package func metaKey() throws(CipherError) -> SecretBytes {
        try derive(.second, "bulla meta key v1", [])
    }

    /// The 32 bytes that seal records on the board of one world.
    ///
    /// The processes that have the file open at one time are a world; its board is memory that they
    /// share. A key can safely seal only a limited number of records, so a world uses one key after
    /// another.
    ///
    /// - Parameters:
    ///   - world: identifies the world, and the key among the world's keys; at most 256 bytes.
    package func boardKey(world: [UInt8]) throws(CipherError) -> SecretBytes {
        precondition(world.count <= 256, "a world's identifier is short")
        return try derive(.first, "bulla board key v1", world)
    }

    /// 32 bytes, not secret themselves, which say that a page pool serves the store of this secret.
    ///
    /// A page pool is memory in which worker processes share opened pages.
    ///
    /// - Parameter pool: distinguishes this pool from others.
    package func poolBinding(of pool: [UInt8]) throws(CipherError) -> [UInt8] {
        try derive(.second, "bulla page pool v1", pool).withView { $0.copied() }
    }

    /// The 32 bytes that authenticate the keyring as a whole.
    func ringKey() throws(CipherError) -> SecretBytes {
        try derive(.second, "bulla keyring v1", [])
    }

    /// The 32 bytes that seal the secret that this one replaces.
    func formerKey() throws(CipherError) -> SecretBytes {
        try derive(.first, "bulla former secret v1", [])
    }

    /// The 32 bytes that seal the secret that replaces this one.
    func successorKey() throws(CipherError) -> SecretBytes {
        try derive(.first, "bulla successor secret v1", [])
    }

    /// The 32 bytes that seal what a vault seals in one epoch, if this is a vault's secret.
    package func vaultKey(epoch: UInt32) throws(CipherError) -> SecretBytes {
        try derive(.first, "bulla vault key v1", epoch.littleEndianBytes)
    }

    /// The 32 bytes that hide the keys of a tree, if this is a vault's secret.
    package func vaultIndexKey(tree: UInt64) throws(CipherError) -> SecretBytes {
        try derive(.second, "bulla vault index v1", tree.littleEndianBytes)
    }

    /// A copy with its own owner.
    package borrowing func copied() throws(CipherError) -> MasterSecret {
        MasterSecret(try secret.copied(), fileIdentifier: fileIdentifier)
    }

    /// Lends the bytes, so that a test can prove that no copy of them is left in memory; lends none
    /// in a child after a fork.
    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try secret.withView { view in try view.withSpan(body) }
    }

    /// Overwrites the secret in place: no key can be derived from it any more.
    ///
    /// Call it when no thread uses the secret. If a thread may derive a key meanwhile, make sure
    /// that nobody uses that key: it may come from zeros.
    package borrowing func wipe() { secret.wipe() }

    /// Derives the key for one purpose.
    ///
    /// The labels are constant, and none is a prefix of another, so no two purposes give HKDF the
    /// same info.
    func derive(
        _ half: KeyHalf, _ label: String, _ which: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        try secret.derive(
            from: half, salt: fileIdentifier.bytes, info: Array(label.utf8) + which)
    }
}
