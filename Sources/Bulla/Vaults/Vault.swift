internal import BullaCipher
internal import BullaMemory

/// A named secret inside a store, which seals entities and fields one by one.
///
/// Use a vault if one entity, or one field, should be opened only when somebody looks at it, and
/// only with a password that the rest of the program does not have. Encrypting whole pages is too
/// coarse for that. The store itself can be plain. Several vaults can be open at once, in several
/// stores, each under its own password.
///
/// ```swift
/// let vault = try store.openVault(named: "passwords", key: .password(secret))
/// let blob = try vault.seal("hunter2", for: SealedIdentity(tree: logins, key: "mail"))
/// try vault.open(blob, for: SealedIdentity(tree: logins, key: "mail")) { use($0) }
/// vault.lock()
/// ```
///
/// Any number of threads can use one vault. Its keys are wiped by ``lock()``, when its store
/// closes, or when the last reference to it is released. A store that is not closed explicitly
/// stays open while any of its vaults is referenced, even a locked one.
public final class Vault: Sendable {
    /// The vault's name in its store.
    public let name: String

    let core: StoreCore
    let identifier: VaultIdentifier
    /// Counts of the vault's uses, for callers and for tests.
    let counts = VaultCounts()
    let watchers = VaultWatchers()
    private let keys: VaultKeys

    /// How much cleartext can be lent at once, in all closures of ``open(_:for:_:)`` together.
    let budget: SecretBudget

    init(
        _ name: String, _ core: StoreCore, _ identifier: VaultIdentifier,
        secret: VaultSecret, epoch: UInt32, budget: Int
    ) {
        self.name = name
        self.core = core
        self.identifier = identifier
        self.budget = SecretBudget(byteCount: budget)
        keys = VaultKeys(secret, epoch: epoch)
    }

    deinit {
        lock()
        core.releaseOutsideTasks()
    }

    /// The vault and the path of its store, for messages.
    var place: String { "vault \(name) of \(core.parts.path)" }

    /// The epoch under which the vault seals; `reseal(trees:portion:progress:)` begins the next
    /// one.
    public var epoch: UInt32 { keys.epoch }

    /// Whether the vault was locked, or its store was closed.
    public var isLocked: Bool { keys.isLocked }

    /// Wipes the vault's keys, so that it can neither seal nor open any more.
    ///
    /// Cleartext that is still lent at that moment is wiped when its closure ends. Locking twice is
    /// harmless.
    public func lock() {
        keys.lock()
        watchers.finish()
    }

    /// Seals a cleartext for a place.
    ///
    /// Two blobs of the same cleartext differ. A blob reveals the cleartext's length only in steps:
    /// of 32 bytes up to 256, then of at most an eighth of the length.
    ///
    /// - Parameters:
    ///   - cleartext: the bytes to seal, at most 4 GiB - 64 MiB - 4 bytes.
    ///   - identity: the place where the blob will lie.
    /// - Throws: `vaultLocked`; `otherStore` for a tree of another store; `valueTooLarge`;
    ///   `outOfMemory`; `closed`, `usedAfterFork`.
    /// - Complexity: two passes over the bytes, and a copy of them; one allocation for a blob of up
    ///   to 1024 bytes.
    /// - Source: XAES-256-GCM (C2SP); padding: Padme (Nikitin et al., 2019).
    @inlinable
    public func seal(
        _ cleartext: some ByteSource, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] {
        try cleartext.withBytes { bytes throws(BullaError) in try seal(bytes, for: identity) }
    }

    /// Seals a cleartext for a place.
    ///
    /// - Throws: as the form that takes a ``ByteSource``.
    public func seal(
        _ cleartext: RawSpan, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] {
        try cleartext.withView { cleartext throws(BullaError) in
            try identity.withPlace { place throws(BullaError) in
                try sealed(cleartext, for: place)
            }
        }
    }

    /// Returns the blob of a cleartext.
    func sealed(
        _ cleartext: ByteView, for place: SealedPlace
    ) throws(BullaError) -> [UInt8] {
        try withSealed(cleartext, for: place) { $0.copied() }
    }

    /// Lends the blob of a cleartext.
    func withSealed<R>(
        _ cleartext: ByteView, for place: SealedPlace,
        _ body: (ByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try check(place.tree)
        guard cleartext.byteCount <= SealedBlob.cleartextByteLimit else {
            throw BullaError(
                .valueTooLarge, "seal in \(self.place): \(cleartext.byteCount) bytes are too many")
        }
        let count = SealedBlob.sealedByteCount(cleartextByteCount: cleartext.byteCount)
        return try MutableByteView.withTemporary(byteCount: count) { blob throws(BullaError) in
            try seal(cleartext, place, into: blob)
            counts.add(.sealed)
            return try body(blob.view)
        }
    }

    /// Opens a blob, and lends its cleartext.
    ///
    /// The cleartext lies in locked memory, and is wiped when `body` returns or throws. Bytes that
    /// `body` copies are the caller's responsibility.
    ///
    /// - Parameters:
    ///   - blob: a result of `seal`.
    ///   - identity: the place where the blob was found.
    ///   - body: receives the cleartext, which is valid only during the call.
    /// - Throws: what `body` throws; `vaultLocked`; `otherStore`; `otherVault` for a blob of
    ///   another vault; `sealDamaged` if the blob was changed, or sealed for another place;
    ///   `unsupportedFormat` if a newer version sealed it; `outOfMemory` if the cleartext that is
    ///   lent at one time would exceed the vault's `lentByteLimit`, or if no memory could be
    ///   locked; `closed`, `usedAfterFork`.
    /// - Complexity: one pass over the bytes, and a copy of them; no allocation for a blob of up to
    ///   1024 bytes.
    public func open<R>(
        _ blob: some ByteSource, for identity: SealedIdentity, _ body: (RawSpan) throws -> R
    ) throws -> R {
        try blob.withBytes { blob in
            try blob.withView { blob in try open(blob, for: identity, body) }
        }
    }

    func open<R>(
        _ blob: ByteView, for identity: SealedIdentity, _ body: (RawSpan) throws -> R
    ) throws -> R {
        let cleartext = try identity.withPlace { place throws(BullaError) in
            // Copied, because a blob must not change while it is read, and may lie in memory that
            // another thread or process writes to.
            try MutableByteView.withTemporary(
                byteCount: blob.byteCount
            ) { own throws(BullaError) in
                own.copy(blob, to: 0)
                return try opened(own.view, for: place)
            }
        }
        return try cleartext.withView { view in try view.withSpan(body) }
    }

    /// The cleartext of a blob, in memory that is wiped when it is released.
    ///
    /// - Parameters:
    ///   - blob: bytes that nothing else writes to, because they must not change while they are
    ///     read.
    ///   - isCounted: whether the vault counts the call and reports a failure; `false` if the vault
    ///     opens the blob for itself.
    func opened(
        _ blob: ByteView, for place: SealedPlace, isCounted: Bool = true
    ) throws(BullaError) -> OpenedBlob {
        do throws(BullaError) {
            try check(place.tree)
            let cleartext = try open(blob, place)
            if isCounted { counts.add(.opened) }
            return cleartext
        } catch {
            guard isCounted else { throw error }
            if error.code != .vaultLocked { counts.add(.failed) }
            watchers.tell(VaultFailure(self, place, error))
            throw error
        }
    }

    /// Refuses a tree of another store.
    func check(_ tree: Tree) throws(BullaError) {
        try core.entrance.checkAlive()
        guard tree.scope.store == ObjectIdentifier(core) else {
            throw BullaError(
                .otherStore, "use \(place): the tree belongs to another store")
        }
    }

    /// Refuses a transaction of another store, or any transaction if the vault is locked; call this
    /// before changing anything.
    func check(_ transaction: borrowing WriteTransaction) throws(BullaError) {
        try core.entrance.checkAlive()
        guard transaction.access.core === core else {
            throw BullaError(
                .otherStore, "use \(place): the transaction belongs to another store")
        }
        _ = try secret("seal in")
    }

    private func seal(
        _ cleartext: ByteView, _ place: SealedPlace, into blob: MutableByteView
    ) throws(BullaError) {
        let epoch = keys.epoch
        let cipher = try cipher(epoch)
        let header = BlobHeader(vault: identifier, epoch: epoch)
        do throws(CipherError) {
            try place.withContext(header) { context throws(CipherError) in
                try SealedBlob.seal(cleartext, in: context, with: cipher, into: blob)
            }
        } catch { throw failure("seal in", error) }
    }

    private func open(
        _ blob: ByteView, _ place: SealedPlace
    ) throws(BullaError) -> OpenedBlob {
        do throws(CipherError) {
            let blob = try SealedBlob(blob)
            guard blob.header.vault == identifier else { throw CipherError(.foreign) }
            let cipher = try cipherOf(blob.header.epoch)
            let opened = try place.withContext(blob.header) { context throws(CipherError) in
                try OpenedBlob(blob, context, cipher, budget)
            }
            keys.note(blob.header.epoch)
            return opened
        } catch { throw failure("open a blob in", error) }
    }

    private func cipher(_ epoch: UInt32) throws(BullaError) -> VaultCipher {
        do throws(CipherError) { return try cipherOf(epoch) } catch {
            throw failure("use", error)
        }
    }

    private func cipherOf(_ epoch: UInt32) throws(CipherError) -> VaultCipher {
        try keys.cipher(epoch)
    }

    private func failure(_ attempt: String, _ error: CipherError) -> BullaError {
        if keys.isLocked { return BullaError(.vaultLocked, "\(attempt) \(place): it is locked") }
        switch error.code {
        case .foreign:
            return BullaError(.otherVault, "\(attempt) \(place): it was sealed in another vault")
        case .badTag, .malformed:
            return BullaError(
                .sealDamaged,
                "\(attempt) \(place): the blob was changed, or sealed for another place")
        case .unavailable:
            return BullaError(
                .unsupportedFormat, "\(attempt) \(place): a newer version sealed the blob")
        case .memory:
            return BullaError(
                .outOfMemory,
                "\(attempt) \(place): \(budget.usedByteCount) bytes of cleartext are lent, of at "
                    + "most \(budget.byteCount), or no memory could be locked")
        default: return .cipher("\(attempt) \(place)", error)
        }
    }

    /// Returns the secret; throws if the vault is locked.
    func secret(_ attempt: String) throws(BullaError) -> VaultSecret {
        do throws(CipherError) { return try keys.unlockedSecret() } catch {
            throw failure(attempt, error)
        }
    }

    /// The HMAC that a tree holds in place of an entity's key, so that the key stays hidden.
    func hiddenKey(_ key: ByteView, _ tree: Tree) throws(BullaError) -> [UInt8] {
        do throws(CipherError) {
            let secret = try keys.unlockedSecret()
            let hmac = try HMAC(key: secret.master.vaultIndexKey(tree: UInt64(tree.number)))
            let hidden = try hmac.digest(of: [key]).bytes
            // If the vault was locked during the computation, the secret may have been zeros.
            _ = try keys.unlockedSecret()
            return hidden
        } catch { throw failure("use", error) }
    }

    /// Makes the vault seal under this epoch from now on, unless it knows a newer one.
    func noteEpoch(_ epoch: UInt32) { keys.note(epoch) }
}

extension Vault: StoreDependent {
    func endWithStore() { lock() }
}
