package import BullaMemory
internal import CBullaCipher

/// XXH64: finds accidental damage, but no attacks.
package enum Checksum {
    package static func xxh64(_ bytes: ByteView, seed: UInt64 = 0) -> UInt64 {
        // SAFETY: the view is valid for its count.
        unsafe bulla_checksum64(bytes.base, bytes.byteCount, seed)
    }
}
