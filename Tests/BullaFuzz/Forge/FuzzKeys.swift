internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaTestSupport

/// What one file's pages are sealed with, known to who makes them false.
final class FuzzKeys: Sendable {
    static let encrypted = made(.aes256GCM)
    static let plain = made(.plain)
    /// The history of every file that is made with them.
    static let history = Identifier(high: 1, low: 2)

    let header: HeaderPage
    let key: StoreKey?
    let cipher: PageCipher
    let metaAuthentication: HMAC
    /// The file's first 64 KiB, without its meta pages.
    let preamble: [UInt8]

    private static func made(_ suite: Suite) -> FuzzKeys {
        do { return try FuzzKeys(suite) } catch { preconditionFailure("keys can be made") }
    }

    private init(_ suite: Suite) throws {
        let file = try FileIdentifier.random()
        let header = try HeaderPage(
            suite: suite, format: PageFormat(pageByteCount: 4096), fileIdentifier: file)
        self.header = header
        var bytes = [UInt8](repeating: 0, count: PageFormat.preambleByteCount)
        let head = try ScratchBuffer(byteCount: HeaderField.byteCount)
        header.write(head.bytes.slice(0, HeaderField.byteCount))
        var parts = [(0, head.bytes.view.slice(0, HeaderField.byteCount).copied())]
        if suite == .plain {
            key = nil
            cipher = try PageCipher(
                plain: file, formatVersion: PageFormat.version, pageByteCount: 4096)
            metaAuthentication = try HMAC(key: SecretBytes(byteCount: 32))
        } else {
            let user = (0..<UInt8(64)).map { $0 &* 3 }
            let master = try MasterSecret.random(for: file)
            key = try StoreKey(user)
            cipher = try PageCipher(
                suite: suite,
                key: master.dataKey(epoch: 1, suite: suite, history: Self.history.bytes),
                fileIdentifier: file, formatVersion: PageFormat.version, pageByteCount: 4096)
            metaAuthentication = try HMAC(key: master.metaKey())
            let keyring = try user.withBytes { span in
                try Keyring.seal(
                    master, userKey: try UserKey(copying: span), headerDigest: header.digest,
                    generation: 1)
            }
            parts.append((PageFormat.keyringOffset, keyring))
        }
        for copy in [0, PageFormat.copyDistance] {
            for (offset, part) in parts { bytes.replace(at: copy + offset, with: part) }
        }
        preamble = bytes
    }
}
