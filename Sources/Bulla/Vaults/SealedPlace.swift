internal import BullaCipher
internal import BullaMemory

/// What a ``SealedIdentity`` says, of a key that lies elsewhere: nothing is copied or allocated for
/// what is sealed or opened once.
struct SealedPlace {
    let tree: Tree
    /// Its owner keeps it for as long as the place is used.
    let key: ByteView
    var property: UInt32 = 0
    var sequence: UInt64 = 0

    /// Keys above it stand there by their SHA-256.
    private static let keyByteLimit = 512
    private static let headByteCount = 21

    /// Lends the bytes that the blob is bound to.
    ///
    ///     bytes  field
    ///         8  number of the tree
    ///         4  property
    ///         8  sequence
    ///         1  0: the key follows; 1: its SHA-256 follows
    ///         n  that
    func withBytes<R: ~Copyable>(
        _ body: (ByteView) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        guard key.byteCount > Self.keyByteLimit else { return try withBytes(0, key, body) }
        let digest = try KeyDerivation.sha256(key).bytes
        return try digest.withView { digest throws(CipherError) in
            try withBytes(1, digest, body)
        }
    }

    @inline(__always)
    private func withBytes<R: ~Copyable>(
        _ form: UInt8, _ last: ByteView, _ body: (ByteView) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        let byteCount = Self.headByteCount + last.byteCount
        return try MutableByteView.withTemporary(
            byteCount: byteCount
        ) { bytes throws(CipherError) in
            // The stack is nobody's for long, and the key may be read nowhere else.
            defer { bytes.wipe() }
            bytes.store(UInt64(tree.number), at: 0)
            bytes.store(property, at: 8)
            bytes.store(sequence, at: 12)
            bytes.store(form, at: 20)
            bytes.copy(last, to: Self.headByteCount)
            return try body(bytes.view)
        }
    }
}
