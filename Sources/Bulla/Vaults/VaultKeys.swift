internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// A noncopyable secret, shared.
final class VaultSecret: Sendable {
    let master: MasterSecret
    init(_ master: consuming MasterSecret) { self.master = master }
}

/// The secret of an open vault, and the ciphers of its epochs.
final class VaultKeys: Sendable {
    private let secret: VaultSecret
    private let known: Mutex<Known>

    private struct Known {
        var epoch: UInt32
        var ciphers: [UInt32: VaultCipher] = [:]
        var isLocked = false
    }

    init(_ secret: VaultSecret, epoch: UInt32) {
        self.secret = secret
        known = Mutex(Known(epoch: epoch))
    }

    /// The newest epoch that is known to have begun.
    var epoch: UInt32 { known.withLock { $0.epoch } }

    var isLocked: Bool { known.withLock { $0.isLocked } }

    /// Notes an epoch of which something was opened, or that begins.
    func note(_ epoch: UInt32) {
        known.withLock { known in known.epoch = max(known.epoch, epoch) }
    }

    /// The cipher of an epoch, which a blob may claim to be any number.
    func cipher(_ epoch: UInt32) throws(CipherError) -> VaultCipher {
        let (found, isLocked) = known.withLock { ($0.ciphers[epoch], $0.isLocked) }
        if let found { return found }
        guard !isLocked else { throw CipherError(.memory) }
        let made = try VaultCipher(key: try secret.master.vaultKey(epoch: epoch))
        return try known.withLock { known throws(CipherError) in
            guard !known.isLocked else {
                made.end()
                throw CipherError(.memory)
            }
            if known.ciphers.count >= 8 { known.ciphers.removeAll() }
            known.ciphers[epoch] = made
            return made
        }
    }

    /// The secret, which is wiped when the vault is locked, whoever has it in hand.
    func unlockedSecret() throws(CipherError) -> VaultSecret {
        guard !isLocked else { throw CipherError(.memory) }
        return secret
    }

    func lock() {
        let ciphers = known.withLock { known in
            defer { known = Known(epoch: known.epoch, isLocked: true) }
            return known.isLocked ? [:] : known.ciphers
        }
        secret.master.wipe()
        for cipher in ciphers.values { cipher.end() }
    }
}
