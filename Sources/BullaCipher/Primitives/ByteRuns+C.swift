internal import BullaMemory
internal import CBullaCipher

extension [ByteView] {
    /// The views as the C room takes them, for as long as their bytes stay.
    var runs: [bulla_bytes] {
        unsafe map { unsafe bulla_bytes(base: $0.base, byte_count: $0.byteCount) }
    }
}
