package import BullaMemory

/// What is authenticated beside a blob: its header as it lies in it, the identity's byte count in
/// four bytes, the identity.
///
/// Everything before the identity has a fixed count, so no two lists of fields give the same bytes.
/// The identity is not kept in the blob; its owner sees to it that no two places have the same.
package struct BlobContext {
    private static let headByteCount = BlobHeader.byteCount + MemoryLayout<UInt32>.size

    package let header: BlobHeader
    private let bytes: MutableByteView

    /// A context in `bytes`, whose identity is still to be written.
    ///
    /// - Parameter bytes: as many as ``byteCount(identityByteCount:)`` says, which outlive it.
    package init(_ header: BlobHeader, in bytes: MutableByteView) {
        self.header = header
        self.bytes = bytes
        header.store(in: bytes)
        bytes.store(UInt32(bytes.byteCount - Self.headByteCount), at: BlobHeader.byteCount)
    }

    /// How many bytes a context has.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` above ``SealedBlob/identityByteLimit``.
    package static func byteCount(identityByteCount: Int) throws(CipherError) -> Int {
        guard identityByteCount <= SealedBlob.identityByteLimit else {
            throw CipherError(.badArgument)
        }
        return headByteCount + identityByteCount
    }

    /// Where the identity is written.
    package var identity: MutableByteView {
        bytes.slice(Self.headByteCount, bytes.byteCount - Self.headByteCount)
    }

    /// To be called when it has served: the stack is nobody's for long, a core dump has it, and
    /// keys are parts of identities.
    package func wipe() { bytes.wipe() }

    var view: ByteView { bytes.view }
}

extension BlobHeader {
    /// Lends the context of an identity that lies elsewhere.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` above ``SealedBlob/identityByteLimit``; what
    ///   `body` throws.
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
