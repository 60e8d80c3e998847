internal import BullaCipher
internal import BullaMemory

/// The key of one record, which seals its encrypted fields and authenticates the whole record.
///
/// A record keeps its key until it is deleted, enters or leaves a share, or is saved in a later
/// epoch of its zone's or share's keys.
final class RecordKey: Sendable {
    static let byteCount = 32
    static let wrappedByteCount = byteCount + VaultCipher.extraByteCount

    private let secret: SecretBytes
    /// The key as stored in the record, wrapped by the key of its zone or share.
    let wrap: [UInt8]

    private init(_ secret: consuming SecretBytes, wrap: [UInt8]) {
        self.secret = secret
        self.wrap = wrap
    }

    /// Lends the key, whose bytes a forked child process does not inherit.
    func withView<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        try secret.withView(body)
    }

    static func random(
        _ wrapper: VaultCipher, _ context: [UInt8]
    ) throws(CipherError) -> RecordKey {
        var secret = try SecretBytes.zeroed(byteCount: byteCount)
        try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
        let wrap = try secret.withView { secret throws(CipherError) in
            try context.withView { context throws(CipherError) in
                try [UInt8](byteCount: wrappedByteCount) { wrap throws(CipherError) in
                    try wrapper.seal(secret, context: context, into: wrap)
                }
            }
        }
        return RecordKey(secret, wrap: wrap)
    }

    static func unwrap(
        _ wrap: ByteView, _ wrapper: VaultCipher, _ context: [UInt8]
    ) throws(CipherError) -> RecordKey {
        guard wrap.byteCount == wrappedByteCount else { throw CipherError(.malformed) }
        var secret = try SecretBytes.zeroed(byteCount: byteCount)
        try secret.withMutableView { secret throws(CipherError) in
            try context.withView { context throws(CipherError) in
                try wrapper.open(wrap, context: context, into: secret)
            }
        }
        return RecordKey(secret, wrap: wrap.copied())
    }
}
