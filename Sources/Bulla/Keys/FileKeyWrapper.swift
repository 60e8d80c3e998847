internal import BullaCipher
internal import BullaMemory

/// A key service that consists of a file, for tests and for trying out how a real service behaves.
///
/// The service protects keys no better than the file is protected. Only the file's owner may have
/// rights to it, as for a ``FileKeySource``. The file holds keys of 32 random bytes, one after the
/// other. The last key wraps, and each key unwraps what it has wrapped, so appending a key rotates
/// the service's key. The file has room for 128 keys; with more, the service neither wraps nor
/// unwraps.
///
/// ```console
/// $ (umask 077; head -c 32 /dev/urandom >> service.keys)
/// ```
///
/// A wrapped key is sealed with AES-256-GCM:
///
///     offset  bytes  field
///          0      4  number of the key in the file, from 0
///          4     12  nonce        random
///         16      n  ciphertext
///     16 + n     16  tag, which also covers the text `Bulla file key wrapper` and the number
///
/// - Source: NIST SP 800-38D.
public struct FileKeyWrapper: KeyWrapper {
    private let source: FileKeySource

    /// The service's name in messages: `file` and its path.
    public var name: String { source.name }

    /// Makes a service whose keys are in a file.
    public init(_ path: String) { source = FileKeySource(path, trimsNewline: false) }

    private static let label = Array("Bulla file key wrapper".utf8)
    private static let numberByteCount = 4
    private static let extraByteCount = numberByteCount + ItemCipher.extraByteCount

    /// Wraps a key under the last key of the file.
    ///
    /// - Throws: what ``FileKeySource/load()`` throws; `invalidArgument` if the file does not hold
    ///   whole keys.
    public func wrap(_ key: Secret) async throws -> [UInt8] {
        let keys = try load()
        do throws(CipherError) { return try wrap(key, keys) } catch {
            throw BullaError.cipher("wrap a key by \(name)", error)
        }
    }

    private func wrap(_ key: Secret, _ keys: Secret) throws(CipherError) -> [UInt8] {
        let number = keys.byteCount / ItemCipher.keyByteCount - 1
        let cipher = try ItemCipher()
        defer { cipher.end() }
        let byteCount = key.byteCount + Self.extraByteCount
        return try [UInt8](byteCount: byteCount) { wrapped throws(CipherError) in
            wrapped.store(UInt32(number), at: 0)
            let sealed = wrapped.slice(
                Self.numberByteCount, wrapped.byteCount - Self.numberByteCount)
            try withKey(number, of: keys) { wrapping throws(CipherError) in
                try Self.withContext(wrapped.view) { context throws(CipherError) in
                    try cipher.sealing(under: wrapping) { sealer throws(CipherError) in
                        try key.withView { key throws(CipherError) in
                            try sealer.seal(key, context: context, into: sealed)
                        }
                    }
                }
            }
        }
    }

    /// Unwraps a key with the one of the file's keys that wrapped it.
    ///
    /// - Throws: what ``FileKeySource/load()`` throws; `invalidArgument` if the file does not hold
    ///   whole keys; `wrongKey` if none of them wrapped these bytes.
    public func unwrap(_ wrapped: [UInt8]) async throws -> Secret {
        let keys = try load()
        guard wrapped.count > Self.extraByteCount else { throw refusal }
        let key: SecretBytes
        do throws(CipherError) {
            key = try wrapped.withView { wrapped throws(CipherError) in
                try unwrap(wrapped, keys)
            }
        } catch {
            guard error.code != .badTag else { throw refusal }
            throw BullaError.cipher("unwrap a key by \(name)", error)
        }
        return try key.withView { key in try key.withSpan { try Secret($0) } }
    }

    private func unwrap(
        _ wrapped: ByteView, _ keys: Secret
    ) throws(CipherError) -> SecretBytes {
        let number = Int(wrapped.load(UInt32.self, at: 0))
        guard number < keys.byteCount / ItemCipher.keyByteCount else {
            throw CipherError(.badTag)
        }
        let cipher = try ItemCipher()
        defer { cipher.end() }
        var key = try SecretBytes.zeroed(byteCount: wrapped.byteCount - Self.extraByteCount)
        try key.withMutableView { key throws(CipherError) in
            let sealed = wrapped.slice(
                Self.numberByteCount, wrapped.byteCount - Self.numberByteCount)
            try withKey(number, of: keys) { wrapping throws(CipherError) in
                try Self.withContext(wrapped) { context throws(CipherError) in
                    try cipher.opening(under: wrapping) { opener throws(CipherError) in
                        try opener.open(sealed, context: context, into: key)
                    }
                }
            }
        }
        return key
    }

    private func load() throws(BullaError) -> Secret {
        let keys = try source.load()
        guard keys.byteCount.isMultiple(of: ItemCipher.keyByteCount) else {
            throw BullaError(
                .invalidArgument,
                "read the keys of \(name): it has \(keys.byteCount) bytes, expected a multiple of "
                    + "\(ItemCipher.keyByteCount)")
        }
        return keys
    }

    private var refusal: BullaError {
        BullaError(.wrongKey, "unwrap a key by \(name): none of its keys wrapped it")
    }

    private func withKey<R>(
        _ number: Int, of keys: Secret, _ body: (ByteView) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        try keys.withView { keys throws(CipherError) in
            try body(
                keys.slice(number * ItemCipher.keyByteCount, ItemCipher.keyByteCount))
        }
    }

    /// What the tag covers besides the key: the label, and the number at the start of `wrapped`.
    private static func withContext(
        _ wrapped: ByteView, _ body: ([ByteView]) throws(CipherError) -> Void
    ) throws(CipherError) {
        try label.withView { label throws(CipherError) in
            try body([label, wrapped.slice(0, numberByteCount)])
        }
    }
}
