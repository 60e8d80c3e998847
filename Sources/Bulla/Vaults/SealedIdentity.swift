internal import BullaCipher
internal import BullaMemory

/// Where a sealed entity or field stands: what its blob is bound to.
///
/// A blob that is found anywhere else does not open. Trees are told by their numbers, so a renamed
/// tree's blobs go on opening; properties are told by numbers that the caller gives, likewise.
public struct SealedIdentity: Sendable, Hashable {
    /// The tree that the blob stands in, or belongs to.
    public let tree: Tree
    /// The key that it stands under.
    public let key: [UInt8]
    /// Which property of the entity it is; 0 for the whole.
    public let property: UInt32
    /// Which version of it.
    public let sequence: UInt64

    /// Names a place.
    public init(
        tree: Tree, key: some ByteSource, property: UInt32 = 0, sequence: UInt64 = 0
    ) {
        self.tree = tree
        self.key = key.withBytes { bytes in bytes.withView { $0.copied() } }
        self.property = property
        self.sequence = sequence
    }

    /// Keys above it stand there by their SHA-256.
    private static let keyByteLimit = 512

    /// The bytes that the blob is bound to.
    ///
    ///     bytes  field
    ///         8  number of the tree
    ///         4  property
    ///         8  sequence
    ///         1  0: the key follows; 1: its SHA-256 follows
    ///         n  that
    func bytes() throws(CipherError) -> [UInt8] {
        try key.withView { key throws(CipherError) in
            let isLong = key.byteCount > Self.keyByteLimit
            let digest = isLong ? try KeyDerivation.sha256(key).bytes : []
            let last = isLong ? digest.count : key.byteCount
            // One array: of an entity of few bytes, more of them would take as long as its cipher.
            return [UInt8](byteCount: Self.headByteCount + last) { bytes in
                bytes.store(UInt64(tree.number), at: 0)
                bytes.store(property, at: 8)
                bytes.store(sequence, at: 12)
                bytes.store(UInt8(isLong ? 1 : 0), at: 20)
                if isLong {
                    digest.withView { bytes.copy($0, to: Self.headByteCount) }
                } else {
                    bytes.copy(key, to: Self.headByteCount)
                }
            }
        }
    }

    private static let headByteCount = 21
}
