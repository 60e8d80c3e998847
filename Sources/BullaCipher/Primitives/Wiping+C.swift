package import BullaMemory
internal import CBullaCipher

extension MutableByteView {
    /// Overwrites the bytes with zeros, in a way that no compiler removes.
    package func wipe() {
        // SAFETY: the view is valid for its count.
        unsafe bulla_wipe(base, byteCount)
    }
}
