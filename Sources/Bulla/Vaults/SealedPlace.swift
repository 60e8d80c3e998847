internal import BullaCipher
internal import BullaMemory

/// A ``SealedIdentity`` that borrows its key, so that sealing or opening a blob neither copies the
/// key nor allocates memory for it.
struct SealedPlace {
    let tree: Tree
    /// The key, whose owner must keep it while the place is used.
    let key: ByteView
    var property: UInt32 = 0
    var sequence: UInt64 = 0

    /// If a key is longer than this, a context holds the key's SHA-256 instead.
    private static let keyByteLimit = 512
    private static let headByteCount = 21

    /// Lends the context to which a blob with this header is bound in this place.
    ///
    /// The context's identity encodes the place:
    ///
    ///     bytes  field
    ///         8  number of the tree
    ///         4  property
    ///         8  sequence
    ///         1  0 if the key follows, 1 if its SHA-256 follows
    ///         n  the key or its SHA-256
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
        // Lend the memory here, not in a function of `BlobContext`, because the compiler would not
        // specialize a generic function of another module.
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
