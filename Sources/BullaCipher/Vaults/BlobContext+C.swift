internal import BullaMemory
internal import CBullaCipher

extension BlobHeader {
    /// Lends what is authenticated beside a blob: its header as it lies in it, the identity's byte
    /// count in four bytes, the identity.
    ///
    /// Everything before the identity has a fixed count, so no two lists of fields give the same
    /// bytes.
    func withContext(
        for identity: ByteView, _ body: (ByteView) throws(CipherError) -> Void
    ) throws(CipherError) {
        let headByteCount = Self.byteCount + MemoryLayout<UInt32>.size
        let byteCount = headByteCount + identity.byteCount
        precondition(byteCount <= VaultCipher.contextByteLimit, "an identity is short")
        try MutableByteView.withTemporary(byteCount: byteCount) { context throws(CipherError) in
            // The stack is nobody's for long, and a core dump has it.
            defer { context.wipe() }
            store(in: context)
            context.store(UInt32(identity.byteCount), at: Self.byteCount)
            context.copy(identity, to: headByteCount)
            try body(context.view)
        }
    }
}

extension MutableByteView {
    /// Overwrites the bytes with zeros, though nobody reads them afterwards.
    package func wipe() {
        // SAFETY: the view is valid for its count.
        unsafe bulla_wipe(base, byteCount)
    }
}
