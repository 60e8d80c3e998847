internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// The ciphers of one file, one for each key epoch, made when first needed.
final class PageCiphers: Sendable {
    let header: HeaderPage
    /// `nil` in a plain store.
    let secret: Secret?
    private let known = Mutex<[UInt32: PageCipher]>([:])

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

    /// The key that authenticates meta slots; for a plain store 32 zero bytes, known to everybody.
    func metaKey() throws(BullaError) -> SecretBytes {
        do { return try secret?.master.metaKey() ?? SecretBytes(byteCount: 32) } catch {
            throw BullaError(.io, "derive the meta key: \(error)")
        }
    }

    /// The key that seals records on the board of one world; zero bytes likewise.
    func boardKey(world: [UInt8]) throws(BullaError) -> SecretBytes {
        do { return try secret?.master.boardKey(world: world) ?? SecretBytes(byteCount: 32) } catch
        { throw BullaError(.io, "derive the board key: \(error)") }
    }

    func cipher(epoch: UInt32) throws(BullaError) -> PageCipher {
        if let cipher = known.withLock({ $0[epoch] }) { return cipher }
        let cipher = try make(epoch)
        known.withLock { known in
            // An epoch that a file claims may be any number: what fails to open must not pile up
            // here.
            if known.count >= 64 { known.removeAll() }
            known[epoch] = cipher
        }
        return cipher
    }

    private func make(_ epoch: UInt32) throws(BullaError) -> PageCipher {
        let (format, file) = (header.format, header.fileIdentifier)
        do throws(CipherError) {
            guard let secret else {
                return try PageCipher(
                    plain: file, formatVersion: PageFormat.version,
                    pageByteCount: format.pageByteCount)
            }
            return try PageCipher(
                suite: header.suite,
                key: secret.master.dataKey(epoch: epoch, suite: header.suite),
                fileIdentifier: file, formatVersion: PageFormat.version,
                pageByteCount: format.pageByteCount)
        } catch { throw BullaError.cipher("derive the data key of epoch \(epoch)", error) }
    }
}
