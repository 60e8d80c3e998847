internal import BullaCipher
internal import BullaMemory

/// The key of an encrypted store: 64 bytes, of which the first 32 are for AES-256 and the other 32
/// for HMAC-SHA-256.
///
/// The halves seal nothing themselves: what is derived from them (HKDF-SHA-256, RFC 5869) seals and
/// authenticates the store's keyring. The bytes lie in memory that is kept out of core dumps, and
/// are wiped when the last reference goes. A store refers to it while it is being opened, and not
/// afterwards: closing a store does not wipe its caller's key. A key is never printed.
public final class StoreKey: Sendable {
    /// How long a key is.
    public static let byteCount = 64

    let userKey: UserKey

    /// A copy of key bytes, which stay with their owner to be wiped.
    ///
    /// - Throws: `invalidKeyLength` when there are not 64.
    public init(_ bytes: RawSpan) throws(BullaError) {
        guard bytes.byteCount == Self.byteCount else {
            throw BullaError(
                .invalidKeyLength,
                "take a key: it has \(bytes.byteCount) bytes, expected \(Self.byteCount)")
        }
        do { userKey = try UserKey(copying: bytes) } catch {
            throw BullaError.cipher("take a key", error)
        }
    }

    /// A copy of key bytes.
    ///
    /// - Throws: `invalidKeyLength` when there are not 64.
    public convenience init(_ bytes: [UInt8]) throws(BullaError) {
        guard bytes.count == Self.byteCount else {
            throw BullaError(
                .invalidKeyLength,
                "take a key: it has \(bytes.count) bytes, expected \(Self.byteCount)")
        }
        let secret = try SecretText(copying: bytes)
        try self.init(secret)
    }

    /// A key from a file: 64 bytes as they are, or 128 hexadecimal digits, which a newline may
    /// follow.
    ///
    /// The name may stand for a pipe, which is read to its end.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - timeout: how long to wait for a pipe's end.
    /// - Throws: `invalidArgument` when it is a directory, a socket or a device, or when others
    ///   than its owner may read the file (mode 0600 or stricter is demanded);
    ///   `invalidKeyLength`; `busy` when a pipe does not end in time; `io`.
    public convenience init(
        contentsOfFile path: String, timeout: Duration = .seconds(30)
    ) throws(BullaError) {
        try self.init(SecretText.reading(file: path, timeout: timeout))
    }

    /// A key read from a descriptor to its end, in one of the forms of
    /// ``init(contentsOfFile:timeout:)``.
    ///
    /// The descriptor stays open.
    ///
    /// - Parameters:
    ///   - descriptor: an open file, pipe or socket.
    ///   - timeout: how long to wait for its end.
    /// - Throws: `invalidKeyLength`; `busy` when the end does not come in time; `io`.
    public convenience init(
        readingFrom descriptor: Int32, timeout: Duration = .seconds(30)
    ) throws(BullaError) {
        try self.init(
            SecretText.reading(
                descriptor: descriptor, name: "descriptor \(descriptor)", timeout: timeout))
    }

    private init(_ text: consuming SecretText) throws(BullaError) {
        userKey = try text.key()
    }

    /// A new key from the kernel's random source.
    public static func random() throws(BullaError) -> StoreKey { try StoreKey(SecretText.random()) }

    /// A slot that this key opens, to be added to a keyring.
    func makeSlot(
        label: String? = nil
    ) throws(BullaError) -> (form: KeyringSlot.Form, key: UserKey) {
        let label = Array((label ?? "").utf8)
        guard label.count <= KeyringSlot.labelByteLimit else {
            throw BullaError(
                .invalidArgument,
                "label a key slot: the label has \(label.count) bytes, expected at most "
                    + "\(KeyringSlot.labelByteLimit)")
        }
        do throws(CipherError) {
            return (try KeyringSlot.Form(.key, label: label), userKey)
        } catch { throw BullaError.cipher("make a key slot", error) }
    }

    /// Lends the key's bytes, to be kept where keys are kept.
    public func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try userKey.withBytes(body)
    }
}

extension StoreKey: SlotOpener {
    func choose(among slots: [KeyringSlot]) -> [KeyringSlot] { userKey.choose(among: slots) }

    func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey { userKey }
}

extension BullaError {
    /// Why a keyring did not open, said of the file that it stands in.
    static func keyring(_ attempt: String, _ error: KeyringError) -> BullaError {
        switch error {
        case .wrongKey:
            BullaError(.wrongKey, "\(attempt): it is encrypted under another key or password")
        case .noSlot:
            BullaError(.keySlotNotFound, "\(attempt): no key slot is of that kind and label")
        case .damaged:
            BullaError(.corrupted, "\(attempt): both copies of the keyring are damaged")
        case .unsupportedVersion(let version):
            BullaError(
                .unsupportedFormat,
                "\(attempt): keyring version is \(version), which this library does not read")
        case .cipher(let error): BullaError.cipher(attempt, error)
        }
    }
}
