package import BullaMemory

/// What is authenticated with a blob: its header, the identity's length in four bytes, and the
/// identity.
///
/// The identity consists of bytes that say where the blob belongs. The blob does not contain them,
/// and the blob's owner ensures that no two places have the same identity. Everything before the
/// identity has a fixed length, so contexts that differ in any field differ in their bytes.
package struct BlobContext {
    private static let headByteCount = BlobHeader.byteCount + MemoryLayout<UInt32>.size

    package let header: BlobHeader
    private let bytes: MutableByteView

    /// A context in `bytes`, to which the caller has yet to add the ``identity``.
    ///
    /// - Parameter bytes: as many as ``byteCount(identityByteCount:)`` says; must outlive the
    ///   context.
    package init(_ header: BlobHeader, in bytes: MutableByteView) {
        self.header = header
        self.bytes = bytes
        header.store(in: bytes)
        bytes.store(UInt32(bytes.byteCount - Self.headByteCount), at: BlobHeader.byteCount)
    }

    /// How many bytes a context has.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` for an identity of more than
    ///   ``SealedBlob/identityByteLimit`` bytes.
    package static func byteCount(identityByteCount: Int) throws(CipherError) -> Int {
        guard identityByteCount <= SealedBlob.identityByteLimit else {
            throw CipherError(.badArgument)
        }
        return headByteCount + identityByteCount
    }

    /// The place to which the caller writes the identity.
    package var identity: MutableByteView {
        bytes.slice(Self.headByteCount, bytes.byteCount - Self.headByteCount)
    }

    /// Wipes the context after use.
    ///
    /// Identities contain keys. The context may lie on the stack, which later calls reuse and core
    /// dumps contain.
    package func wipe() { bytes.wipe() }

    var view: ByteView { bytes.view }
}

extension BlobHeader {
    /// Lends a context with a copy of the identity.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` for an identity of more than
    ///   ``SealedBlob/identityByteLimit`` bytes; what `body` throws.
    package func withContext(
        for identity: ByteView, _ body: (BlobContext) throws(CipherError) -> Void
    ) throws(CipherError) {
        try MutableByteView.withTemporary(
            byteCount: try BlobContext.byteCount(identityByteCount: identity.byteCount)
        ) { bytes throws(CipherError) in
            let context = BlobContext(self, in: bytes)
            defer { context.wipe() }
            context.identity.copy(identity, to: 0)
            try body(context)
        }
    }
}
