internal import BullaCipher
internal import BullaMemory

/// A ``SealedIdentity`` whose key the caller keeps, so that sealing or opening one blob copies and
/// allocates nothing.
struct SealedPlace {
    let tree: Tree
    /// Its owner keeps it for as long as the place is used.
    let key: ByteView
    var property: UInt32 = 0
    var sequence: UInt64 = 0

    /// Keys above it stand there by their SHA-256.
    private static let keyByteLimit = 512
    private static let headByteCount = 21

    /// Lends what a blob of this header is bound to here: its identity says where it stands.
    ///
    ///     bytes  field
    ///         8  number of the tree
    ///         4  property
    ///         8  sequence
    ///         1  0: the key follows; 1: its SHA-256 follows
    ///         n  that
    @inline(__always)
    func withContext<R: ~Copyable>(
        _ header: BlobHeader, _ body: (BlobContext) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        guard key.byteCount > Self.keyByteLimit else {
            return try withContext(header, 0, key, body)
        }
        let digest = try KeyDerivation.sha256(key).bytes
        return try digest.withView { digest throws(CipherError) in
            try withContext(header, 1, digest, body)
        }
    }

    @inline(__always)
    private func withContext<R: ~Copyable>(
        _ header: BlobHeader, _ form: UInt8, _ last: ByteView,
        _ body: (BlobContext) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        // Lent here, not by the context: across modules the compiler makes no special form of it.
        try MutableByteView.withTemporary(
            byteCount: try BlobContext.byteCount(
                identityByteCount: Self.headByteCount + last.byteCount)
        ) { bytes throws(CipherError) in
            let context = BlobContext(header, in: bytes)
            defer { context.wipe() }
            let identity = context.identity
            identity.store(UInt64(tree.number), at: 0)
            identity.store(property, at: 8)
            identity.store(sequence, at: 12)
            identity.store(form, at: 20)
            identity.copy(last, to: Self.headByteCount)
            return try body(context)
        }
    }
}
