internal import BullaMemory

/// A key and its blob as they were fetched, and where from: what a ``SealedEntity`` is, whatever
/// its type.
struct SealedRecord: Sendable {
    let origin: SealedOrigin
    /// The key, then the blob: listing many takes one array for each, as small as can be.
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

    /// Lends where it stands, and the blob.
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

/// The vault and the tree that entities were fetched from.
final class SealedOrigin: Sendable {
    let vault: Vault
    let tree: Tree

    init(_ vault: Vault, _ tree: Tree) { (self.vault, self.tree) = (vault, tree) }
}
