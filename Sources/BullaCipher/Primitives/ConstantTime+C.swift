package import BullaMemory
internal import CBullaCipher

/// Compares secrets in a time that does not tell where they differ.
package enum ConstantTime {
    /// Whether both have the same bytes; their lengths are not secret.
    package static func areEqual(_ one: ByteView, _ other: ByteView) -> Bool {
        // SAFETY: both views are valid for their counts, which are the same.
        unsafe one.byteCount == other.byteCount
            && bulla_equal(one.base, other.base, one.byteCount)
    }

    /// Whether two digests are the same.
    static func areEqual(_ one: Digest, _ other: Digest) -> Bool {
        // SAFETY: both are trivial values of `Digest.byteCount` bytes, borrowed for the call.
        unsafe withUnsafePointer(to: one) { one in
            unsafe withUnsafePointer(to: other) { other in
                unsafe bulla_equal(one, other, Digest.byteCount)
            }
        }
    }
}
