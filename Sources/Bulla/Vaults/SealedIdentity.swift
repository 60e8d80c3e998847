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
        var bytes = UInt64(tree.number).littleEndianBytes + property.littleEndianBytes
        bytes += sequence.littleEndianBytes
        guard key.count > Self.keyByteLimit else { return bytes + [0] + key }
        return try bytes + [1]
            + key.withView { key throws(CipherError) in try KeyDerivation.sha256(key).bytes }
    }
}
