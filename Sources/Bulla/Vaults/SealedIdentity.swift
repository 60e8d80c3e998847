internal import BullaMemory

/// The place of a sealed entity or field, to which its blob is bound.
///
/// A blob opens only in its own place. The tree is identified by its number, so the blobs of a
/// renamed tree still open. A property is identified by a number that the caller chooses.
public struct SealedIdentity: Sendable, Hashable {
    /// The tree to which the blob is bound: the one that holds it, or any that the caller chose.
    public let tree: Tree
    /// The key of the entry that holds the blob.
    public let key: [UInt8]
    /// The number of the entity's property; 0 for the whole entity.
    public let property: UInt32
    /// The number of the version that the blob holds; 0 for a blob without versions.
    public let sequence: UInt64

    /// Makes the identity of a place.
    public init(
        tree: Tree, key: some ByteSource, property: UInt32 = 0, sequence: UInt64 = 0
    ) {
        self.tree = tree
        self.key = key.withBytes { bytes in bytes.withView { $0.copied() } }
        self.property = property
        self.sequence = sequence
    }

    /// Lends the place that the identity names; the place borrows the identity's key.
    @inline(__always)
    func withPlace<R: ~Copyable, E: Error>(
        _ body: (SealedPlace) throws(E) -> R
    ) throws(E) -> R {
        try key.withView { key throws(E) in
            try body(SealedPlace(tree: tree, key: key, property: property, sequence: sequence))
        }
    }
}
