internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// What opens an encrypted store: a key of 64 bytes, a password, or a key that a key service wraps.
///
/// The first 32 bytes of a key are for AES-256, the other 32 for HMAC-SHA-256. The halves seal
/// nothing themselves: keys derived from them (HKDF-SHA-256, RFC 5869) seal and authenticate a slot
/// of the store's keyring. A password is stretched to such a key with the salt of its slot
/// (``PasswordStretching``).
///
/// All of this lies in memory that is kept out of core dumps, and is wiped when the last reference
/// is gone. A store refers to its key only while it is being opened: closing a store does not wipe
/// the caller's key. A key is never printed.
public final class StoreKey: Sendable {
    /// How many bytes a key has.
    public static let byteCount = 64

    /// What kind of key it is.
    enum Means {
        case key(UserKey)
        case password(Secret, slot: String?, PasswordStretching)
        /// A key, and its form as wrapped by a service.
        case service(UserKey, [UInt8])
    }

    let means: Means
    /// The keys that a password was stretched to, by salt and parameters; they are kept because
    /// both copies of a keyring need the same ones.
    let stretched = Mutex<[[UInt8]: UserKey]>([:])

    init(_ means: Means) { self.means = means }

    /// Makes a key from a password, whose bytes are used exactly as they are.
    ///
    /// - Parameters:
    ///   - password: 1 to 1024 bytes, which are not normalized.
    ///   - label: the label of the slot on which the password is tried, and of a slot that is made
    ///     from the password; with `nil`, the password is tried on at most three slots, first on
    ///     those without a label.
    ///   - stretching: how a new slot stretches the password; an existing slot keeps its own way.
    /// - Throws: `invalidArgument` for a longer password.
    public static func password(
        _ password: Secret, slotLabel label: String? = nil,
        stretching: PasswordStretching = .recommended
    ) throws(BullaError) -> StoreKey {
        let limit = BullaCipher.PasswordStretching.passwordByteLimit
        guard password.byteCount <= limit else {
            throw BullaError(
                .invalidArgument,
                "take a password: it has \(password.byteCount) bytes, expected at most \(limit)")
        }
        return StoreKey(.password(password, slot: label, stretching))
    }

    /// Copies the bytes of a key; their owner must wipe the original.
    ///
    /// - Throws: `invalidKeyLength` unless there are 64.
    public init(_ bytes: RawSpan) throws(BullaError) {
        guard bytes.byteCount == Self.byteCount else {
            throw BullaError(
                .invalidKeyLength,
                "take a key: it has \(bytes.byteCount) bytes, expected \(Self.byteCount)")
        }
        do { means = .key(try UserKey(copying: bytes)) } catch {
            throw BullaError.cipher("take a key", error)
        }
    }

    /// Copies the bytes of a key.
    ///
    /// - Throws: `invalidKeyLength` unless there are 64.
    public convenience init(_ bytes: [UInt8]) throws(BullaError) {
        guard bytes.count == Self.byteCount else {
            throw BullaError(
                .invalidKeyLength,
                "take a key: it has \(bytes.count) bytes, expected \(Self.byteCount)")
        }
        let secret = try SecretText(copying: bytes)
        try self.init(secret)
    }

    /// Reads a key from a file: 64 raw bytes, or 128 hexadecimal digits that a newline can follow.
    ///
    /// The path can name a pipe, which is read to its end. It can also name a link to the file,
    /// while a ``FileKeySource`` refuses links.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - timeout: how long to wait for a pipe's end.
    /// - Throws: `invalidArgument` if it is a directory, a socket or a device, or if its mode gives
    ///   rights to anyone but its owner (0600 or stricter is required); `keyFileOwner` if it
    ///   belongs to neither this user nor the superuser; `invalidKeyLength`; `busy` if a pipe does
    ///   not end in time; `io`.
    public convenience init(
        contentsOfFile path: String, timeout: Duration = .seconds(30)
    ) throws(BullaError) {
        try self.init(SecretText.reading(file: path, timeout: timeout))
    }

    /// Reads a key from a descriptor to its end, in one of the forms that
    /// `init(contentsOfFile:timeout:)` reads.
    ///
    /// The descriptor stays open.
    ///
    /// - Parameters:
    ///   - descriptor: an open file, pipe or socket.
    ///   - timeout: how long to wait for the input to end.
    /// - Throws: `invalidKeyLength`; `busy` if the end does not come in time; `io`.
    public convenience init(
        readingFrom descriptor: Int32, timeout: Duration = .seconds(30)
    ) throws(BullaError) {
        try self.init(
            SecretText.reading(
                descriptor: descriptor, name: "descriptor \(descriptor)", timeout: timeout))
    }

    /// Takes a key from a source: 64 raw bytes, or 128 hexadecimal digits that a newline can
    /// follow.
    ///
    /// Make the source with `trimsNewline: false`, because the last of 64 raw bytes can be a
    /// newline.
    ///
    /// - Throws: what the source throws; `invalidKeyLength`.
    public convenience init(from source: some KeySource) throws(BullaError) {
        try self.init(SecretText(copying: try source.load(), name: source.name))
    }

    private init(_ text: consuming SecretText) throws(BullaError) {
        means = .key(try text.key())
    }

    /// Makes a new key from the kernel's random source.
    public static func random() throws(BullaError) -> StoreKey { try StoreKey(SecretText.random()) }

    /// Lends the key's 64 bytes, so that the program can store them.
    ///
    /// - Throws: what `body` throws; `invalidArgument` for a password, which `unlocked(for:)`
    ///   turns into a key.
    public func withBytes<R>(_ body: (RawSpan) throws -> R) throws -> R {
        switch means {
        case .key(let key), .service(let key, _): return try key.withBytes(body)
        case .password:
            throw BullaError(.invalidArgument, "lend a key's bytes: it is a password")
        }
    }
}
