internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// A shared reference to a noncopyable secret.
final class VaultSecret: Sendable {
    let master: MasterSecret
    init(_ master: consuming MasterSecret) { self.master = master }
}

/// The secret of an open vault, and the ciphers of its epochs.
final class VaultKeys: Sendable {
    private let secret: VaultSecret
    private let newest: Atomic<UInt32>
    private let known = Mutex(Known())

    private struct Known {
        /// These are so few that a search through all of them is faster than a hash table.
        var ciphers: [(epoch: UInt32, cipher: VaultCipher)] = []
        var isLocked = false

        func cipher(_ epoch: UInt32) -> VaultCipher? {
            for known in ciphers where known.epoch == epoch { return known.cipher }
            return nil
        }
    }

    init(_ secret: VaultSecret, epoch: UInt32) {
        self.secret = secret
        newest = Atomic(epoch)
    }

    /// The newest epoch that this vault knows.
    var epoch: UInt32 { newest.load(ordering: .relaxed) }

    var isLocked: Bool { known.withLock { $0.isLocked } }

    /// Remembers an epoch that has begun, or that an opened blob names, if it is the newest.
    func note(_ epoch: UInt32) {
        guard epoch > self.epoch else { return }
        newest.max(epoch, ordering: .relaxed)
    }

    /// The cipher of an epoch, which may never have begun: a forged blob can claim any epoch.
    func cipher(_ epoch: UInt32) throws(CipherError) -> VaultCipher {
        let (found, isLocked) = known.withLock { ($0.cipher(epoch), $0.isLocked) }
        if let found { return found }
        guard !isLocked else { throw CipherError(.memory) }
        let made = try VaultCipher(key: try secret.master.vaultKey(epoch: epoch))
        return try known.withLock { known throws(CipherError) in
            guard !known.isLocked else {
                made.end()
                throw CipherError(.memory)
            }
            // Since the search above, another thread may have added a cipher of this epoch.
            if let other = known.cipher(epoch) { return other }
            if known.ciphers.count >= Self.keptCount { known.ciphers.removeAll() }
            known.ciphers.append((epoch, made))
            return made
        }
    }

    /// Returns the secret; locking the vault wipes it even while a caller is using it.
    func unlockedSecret() throws(CipherError) -> VaultSecret {
        guard !isLocked else { throw CipherError(.memory) }
        return secret
    }

    func lock() {
        let ciphers = known.withLock { known in
            defer { known = Known(isLocked: true) }
            return known.ciphers
        }
        secret.master.wipe()
        for known in ciphers { known.cipher.end() }
    }

    private static let keptCount = 8
}
