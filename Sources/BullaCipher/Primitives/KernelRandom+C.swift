package import BullaMemory
internal import CBullaCipher

/// Random bytes from the kernel; neither a fork nor a restored virtual machine repeats them.
package enum KernelRandom {
    /// Fills the whole view.
    ///
    /// - Throws: ``CipherError/Code/random`` if the kernel gives none.
    package static func fill(_ view: MutableByteView) throws(CipherError) {
        // SAFETY: the view is valid for its count.
        try CipherError.check(unsafe bulla_random_fill(view.base, view.byteCount))
    }

    /// Fills the whole view with the output of AES-256-CTR, under a key from the kernel.
    ///
    /// Use it for many bytes that are not secret. The kernel would take twenty times as long to
    /// make them all.
    ///
    /// - Parameter view: at most 2 GiB less a byte.
    /// - Throws: as ``fill(_:)``; ``CipherError/Code/library``.
    /// - Source: NIST SP 800-38A, 6.5.
    package static func expand(into view: MutableByteView) throws(CipherError) {
        let keyByteCount = Int(BULLA_KEY_BYTES)
        try MutableByteView.withTemporary(byteCount: keyByteCount + 16) {
            seed throws(CipherError) in
            defer { seed.wipe() }
            try fill(seed)
            view.fill(0, view.byteCount)
            // SAFETY: the seed has a key and a counter block; the view is valid for its count, and
            // encrypted in place.
            try CipherError.check(
                unsafe bulla_ctr_apply(
                    seed.base, seed.base + keyByteCount, view.base, view.byteCount, view.base))
        }
    }

    package static func uint64() throws(CipherError) -> UInt64 {
        var word: UInt64 = 0
        // SAFETY: eight bytes of our own.
        try CipherError.check(unsafe bulla_random_fill(&word, MemoryLayout<UInt64>.size))
        return word
    }
}
