internal import BullaMemory

/// A key and its blob as they were fetched, with their origin.
///
/// This is the content of a ``SealedEntity``, without its type.
struct SealedRecord: Sendable {
    let origin: SealedOrigin
    /// The key, then the blob, in one array, so that a long list takes as little memory as
    /// possible.
    private let bytes: [UInt8]
    private let keyByteCount: Int

    init(_ key: ByteView, _ blob: ByteView, _ origin: SealedOrigin) {
        self.origin = origin
        keyByteCount = key.byteCount
        bytes = [UInt8](joining: key, blob)
    }

    var key: [UInt8] { withParts { place, _ in place.key.copied() } }

    func failure(_ error: BullaError) -> VaultFailure {
        withParts { place, _ in VaultFailure(origin.vault, place, error) }
    }

    func opened() throws(BullaError) -> OpenedBlob {
        try withParts { place, blob throws(BullaError) in
            try origin.vault.opened(blob, for: place)
        }
    }

    /// Lends the place (the tree and the key), and the blob.
    @inline(__always)
    private func withParts<R: ~Copyable, E: Error>(
        _ body: (SealedPlace, ByteView) throws(E) -> R
    ) throws(E) -> R {
        try bytes.withView { bytes throws(E) in
            try body(
                SealedPlace(tree: origin.tree, key: bytes.slice(0, keyByteCount)),
                bytes.slice(keyByteCount, bytes.byteCount - keyByteCount))
        }
    }
}

/// The vault and the tree from which entities were fetched.
final class SealedOrigin: Sendable {
    let vault: Vault
    let tree: Tree

    init(_ vault: Vault, _ tree: Tree) { (self.vault, self.tree) = (vault, tree) }
}
