package import BullaMemory
internal import CBullaCipher

/// Random bytes from the kernel, which no fork and no restored snapshot repeats.
package enum KernelRandom {
    /// Fills the whole view.
    ///
    /// - Throws: ``CipherError/Code/random`` when the kernel gives none.
    package static func fill(_ view: MutableByteView) throws(CipherError) {
        // SAFETY: the view is valid for its count.
        try CipherError.check(unsafe bulla_random_fill(view.base, view.byteCount))
    }

    package static func uint64() throws(CipherError) -> UInt64 {
        var word: UInt64 = 0
        // SAFETY: eight bytes of our own.
        try CipherError.check(unsafe bulla_random_fill(&word, MemoryLayout<UInt64>.size))
        return word
    }
}
