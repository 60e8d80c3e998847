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

    /// Lends the place that the identity names; it borrows the identity's key.
    @inline(__always)
    func withPlace<R: ~Copyable, E: Error>(
        _ body: (SealedPlace) throws(E) -> R
    ) throws(E) -> R {
        try key.withView { key throws(E) in
            try body(SealedPlace(tree: tree, key: key, property: property, sequence: sequence))
        }
    }
}
