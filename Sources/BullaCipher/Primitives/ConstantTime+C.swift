package import BullaMemory
internal import CBullaCipher

/// Comparisons of secrets, whose time tells nothing of where they differ.
package enum ConstantTime {
    /// Whether both have the same bytes; their lengths are no secret.
    package static func areEqual(_ one: ByteView, _ other: ByteView) -> Bool {
        // SAFETY: both views are valid for their counts, which are the same.
        unsafe one.byteCount == other.byteCount
            && bulla_equal(one.base, other.base, one.byteCount)
    }
}
