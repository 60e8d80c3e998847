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
        // SAFETY: as many bytes of the stack as are lent; the view does not leave `body`.
        let result = unsafe withUnsafeTemporaryAllocation(
            byteCount: VaultCipher.contextByteLimit, alignment: 8
        ) { buffer in
            let start = unsafe buffer.baseAddress.unsafelyUnwrapped
            let context = unsafe MutableByteView(base: start, byteCount: byteCount)
            // The stack is nobody's for long, and a core dump has it.
            defer { context.wipe() }
            store(in: context)
            context.store(UInt32(identity.byteCount), at: Self.byteCount)
            context.copy(identity, to: headByteCount)
            return Result { () throws(CipherError) in try body(context.view) }
        }
        try result.get()
    }
}

extension MutableByteView {
    /// Overwrites the bytes with zeros, though nobody reads them afterwards.
    func wipe() {
        // SAFETY: the view is valid for its count.
        unsafe bulla_wipe(base, byteCount)
    }
}
