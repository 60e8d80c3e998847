internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// The ciphers of one file: one for the pages of each key epoch, made when first needed, and those
/// for meta slots, marks of the log and the board.
final class PageCiphers: Sendable {
    let header: HeaderPage
    private let known: Mutex<Known>

    /// The key epochs of the history in use, and the ciphers made for them.
    private struct Known {
        /// `nil` in a plain store.
        var secret: Secrets?
        var epochs: KeyEpochs?
        var ciphers: [UInt32: PageCipher] = [:]
        /// The HMACs of meta slots, under the master secret (`false`) and the former one (`true`).
        var metasByFormer: [Bool: HMAC] = [:]
        /// Whether `end()` was called; no cipher may be made after that.
        var hasEnded = false
    }

    /// A shared reference to noncopyable secrets.
    final class Secrets: Sendable {
        let all: MasterSecrets
        var master: MasterSecret { _read { yield all.master } }

        init(_ all: consuming MasterSecrets) { self.all = all }
    }

    /// - Parameters:
    ///   - secret: `nil` for a plain store.
    init(header: HeaderPage, secret: Secrets?) {
        self.header = header
        known = Mutex(Known(secret: secret))
    }

    /// `nil` in a plain store.
    var secret: Secrets? { known.withLock { $0.secret } }

    /// Uses a new secret from here on, in place of the former one.
    func use(_ secret: Secrets) {
        let former = known.withLock { known in
            guard !known.hasEnded else { return Known() }
            defer { known = Known(secret: secret, epochs: known.epochs) }
            return known
        }
        // Release the former keys here, outside the lock, because wiping them takes time. A thread
        // that still uses one of them can go on.
        _ = former
    }

    /// Sets the key epochs of the pages that are read and written from here on.
    func use(_ epochs: KeyEpochs) {
        known.withLock { known in
            guard known.epochs != epochs, !known.hasEnded else { return }
            known = Known(secret: known.secret, epochs: epochs, metasByFormer: known.metasByFormer)
        }
    }

    /// The HMAC of meta slots that name this key epoch.
    ///
    /// In a plain store its key is 32 zero bytes, which everybody knows.
    ///
    /// - Throws: `corrupted` if the epoch's secret was replaced and forgotten.
    func metaAuthentication(epoch: UInt64) throws(BullaError) -> HMAC {
        try metaAuthentication(epoch, secret)
    }

    /// The HMACs that a mark of the log may carry, beginning with the one for the key epoch in use.
    ///
    /// While a secret is being replaced, the HMAC of the other secret follows.
    func markAuthentications(keyEpoch: UInt64) throws(BullaError) -> [HMAC] {
        // Read `secret` only once: between two reads, another thread can forget the former secret.
        let secret = secret
        let first = secret?.all.firstEpoch ?? 0
        let epochs = secret?.all.hasFormer ?? false ? [first, 0] : [first]
        return try (keyEpoch < first ? epochs.reversed() : epochs)
            .map { epoch throws(BullaError) in try metaAuthentication(epoch, secret) }
    }

    private func metaAuthentication(
        _ epoch: UInt64, _ secret: Secrets?
    ) throws(BullaError) -> HMAC {
        let isFormer = epoch < secret?.all.firstEpoch ?? 0
        let found = known.withLock { $0.secret === secret ? $0.metasByFormer[isFormer] : nil }
        if let found { return found }
        let made: HMAC
        do throws(CipherError) {
            if let secret {
                made = try secret.all.withMaster(of: epoch) { master throws(CipherError) in
                    try HMAC(key: master.metaKey())
                }
            } else {
                made = try [UInt8](repeating: 0, count: 32).withView { key throws(CipherError) in
                    try HMAC(key: key)
                }
            }
        } catch { throw forgotten(error, "derive the meta key") }
        known.withLock { known in
            guard !known.hasEnded else { return made.end() }
            if known.secret === secret { known.metasByFormer[isFormer] = made }
        }
        return made
    }

    /// The cipher for records on the board, which the processes of one world share; it seals each
    /// record as a page of `pageByteCount` bytes.
    ///
    /// - Parameters:
    ///   - epoch: any key epoch of the master secret from which the key is derived; 0 selects the
    ///     former secret.
    func boardCipher(
        world: [UInt8], pageByteCount: Int, epoch: UInt64
    ) throws(BullaError) -> PageCipher {
        do throws(CipherError) {
            return try cipher(
                secret, suite: .aes256GCM, pageByteCount: pageByteCount, epoch: epoch
            ) { master throws(CipherError) in try master.boardKey(world: world) }
        } catch { throw forgotten(error, "derive the board key") }
    }

    /// The bytes that tell which store and which secret a page pool serves.
    ///
    /// - Parameter nonce: the random bytes that the pool keeps beside its binding.
    /// - Precondition: the store is encrypted.
    func poolBinding(nonce: [UInt8]) throws(BullaError) -> [UInt8] {
        guard let secret else { preconditionFailure("an encrypted store has a secret") }
        let size = UInt64(header.format.pageByteCount).littleEndianBytes
        do throws(CipherError) {
            return try secret.master.poolBinding(of: nonce + size)
        } catch { throw BullaError.cipher("derive the binding of a page pool", error) }
    }

    private func forgotten(_ error: CipherError, _ attempt: String) -> BullaError {
        guard error.code == .badTag else { return .cipher(attempt, error) }
        return BullaError(.corrupted, "\(attempt): its secret was replaced and forgotten")
    }

    func cipher(epoch: UInt32) throws(BullaError) -> PageCipher {
        if let cipher = known.withLock({ $0.ciphers[epoch] }) { return cipher }
        let (epochs, secret) = known.withLock { ($0.epochs, $0.secret) }
        let made = try make(epoch, epochs, secret)
        known.withLock { known in
            guard !known.hasEnded else { return made.end() }
            guard known.epochs == epochs, known.secret === secret else { return }
            // A forged file can claim any epoch number, and ciphers for false epochs must not pile
            // up.
            if known.ciphers.count >= 64 { known.ciphers.removeAll() }
            known.ciphers[epoch] = made
        }
        return made
    }

    /// Wipes the master secret and the keys derived from it.
    ///
    /// Call this when no thread seals or opens pages. After this, every cipher refuses to work.
    func end() {
        let last = known.withLock { known in
            defer { known = Known(secret: known.secret, epochs: known.epochs, hasEnded: true) }
            return known
        }
        last.secret?.all.wipe()
        for cipher in last.ciphers.values { cipher.end() }
        for hmac in last.metasByFormer.values { hmac.end() }
    }

    private func make(
        _ epoch: UInt32, _ epochs: KeyEpochs?, _ secret: Secrets?
    ) throws(BullaError) -> PageCipher {
        precondition(
            secret == nil || epochs != nil, "a commit is known before a page of it is opened")
        let history = epochs?.history(of: epoch).bytes ?? []
        do throws(CipherError) {
            return try cipher(
                secret, suite: header.suite, pageByteCount: header.format.pageByteCount,
                epoch: UInt64(epoch)
            ) { master throws(CipherError) in
                try master.dataKey(epoch: epoch, suite: header.suite, history: history)
            }
        } catch { throw forgotten(error, "derive the data key of epoch \(epoch)") }
    }

    /// A cipher under a key of this file, or without a key in a plain store.
    private func cipher(
        _ secret: Secrets?, suite: Suite, pageByteCount: Int, epoch: UInt64,
        key: (borrowing MasterSecret) throws(CipherError) -> SecretBytes
    ) throws(CipherError) -> PageCipher {
        guard let secret else {
            return try PageCipher(
                plain: header.fileIdentifier, formatVersion: PageFormat.version,
                pageByteCount: pageByteCount)
        }
        let key = try secret.all.withMaster(of: epoch, key)
        return try PageCipher(
            suite: suite, key: key, fileIdentifier: header.fileIdentifier,
            formatVersion: PageFormat.version, pageByteCount: pageByteCount)
    }
}
