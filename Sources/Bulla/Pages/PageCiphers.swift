internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// The ciphers of one file: one for each key epoch, made when first needed, and those of what is
/// not a page of it.
final class PageCiphers: Sendable {
    let header: HeaderPage
    /// `nil` in a plain store.
    let secret: Secret?
    private let known = Mutex(Known())

    /// The key epochs of the history that is read, and the ciphers that were made for them.
    private struct Known {
        var epochs: KeyEpochs?
        var ciphers: [UInt32: PageCipher] = [:]
        /// Whether no cipher may be made any more.
        var hasEnded = false
    }

    /// A noncopyable secret, shared.
    final class Secret: Sendable {
        let master: MasterSecret
        init(_ master: consuming MasterSecret) { self.master = master }
    }

    /// - Parameters:
    ///   - secret: `nil` for a plain store.
    init(header: HeaderPage, secret: Secret?) {
        self.header = header
        self.secret = secret
    }

    /// What authenticates meta slots; in a plain store under 32 zero bytes, known to everybody.
    func metaAuthentication() throws(BullaError) -> HMAC {
        do {
            return try HMAC(key: try secret?.master.metaKey() ?? SecretBytes(byteCount: 32))
        } catch { throw BullaError(.io, "derive the meta key: \(error)") }
    }

    /// What seals records on the board of one world, each as a page of `pageByteCount`.
    func boardCipher(world: [UInt8], pageByteCount: Int) throws(BullaError) -> PageCipher {
        do throws(CipherError) {
            return try cipher(
                suite: .aes256GCM, pageByteCount: pageByteCount
            ) { master throws(CipherError) in try master.boardKey(world: world) }
        } catch { throw BullaError.cipher("derive the board key", error) }
    }

    /// Says under which keys the pages lie that are read and written from here on.
    func use(_ epochs: KeyEpochs) {
        known.withLock { known in
            guard known.epochs != epochs, !known.hasEnded else { return }
            known = Known(epochs: epochs)
        }
    }

    func cipher(epoch: UInt32) throws(BullaError) -> PageCipher {
        let (cipher, epochs) = known.withLock { ($0.ciphers[epoch], $0.epochs) }
        if let cipher { return cipher }
        let made = try make(epoch, epochs)
        known.withLock { known in
            guard !known.hasEnded else { return made.end() }
            guard known.epochs == epochs else { return }
            // An epoch that a file claims may be any number: what fails to open must not pile up
            // here.
            if known.ciphers.count >= 64 { known.ciphers.removeAll() }
            known.ciphers[epoch] = made
        }
        return made
    }

    /// Wipes the master secret and the data keys that were made of it.
    ///
    /// To be called when nobody seals or opens: who comes late is refused by every cipher.
    func end() {
        secret?.master.wipe()
        let ciphers = known.withLock { known in
            defer { known = Known(epochs: known.epochs, hasEnded: true) }
            return known.ciphers
        }
        for cipher in ciphers.values { cipher.end() }
    }

    private func make(_ epoch: UInt32, _ epochs: KeyEpochs?) throws(BullaError) -> PageCipher {
        precondition(
            secret == nil || epochs != nil, "a commit is known before a page of it is opened")
        let history = epochs?.history(of: epoch).bytes ?? []
        do throws(CipherError) {
            return try cipher(
                suite: header.suite, pageByteCount: header.format.pageByteCount
            ) { master throws(CipherError) in
                try master.dataKey(epoch: epoch, suite: header.suite, history: history)
            }
        } catch { throw BullaError.cipher("derive the data key of epoch \(epoch)", error) }
    }

    /// A cipher under a key of this file's; in a plain store one without a key.
    private func cipher(
        suite: Suite, pageByteCount: Int,
        key: (borrowing MasterSecret) throws(CipherError) -> SecretBytes
    ) throws(CipherError) -> PageCipher {
        guard let secret else {
            return try PageCipher(
                plain: header.fileIdentifier, formatVersion: PageFormat.version,
                pageByteCount: pageByteCount)
        }
        return try PageCipher(
            suite: suite, key: try key(secret.master), fileIdentifier: header.fileIdentifier,
            formatVersion: PageFormat.version, pageByteCount: pageByteCount)
    }
}
