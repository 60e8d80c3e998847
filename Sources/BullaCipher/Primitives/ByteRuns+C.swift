internal import BullaMemory
internal import CBullaCipher

extension ByteView {
    /// Views as the C room takes them, for as long as their bytes stay.
    ///
    /// It is no member of arrays: a member of some arrays is compiled as if it were generic.
    static func runs(_ views: [ByteView]) -> [bulla_bytes] {
        unsafe views.map { unsafe bulla_bytes(base: $0.base, byte_count: $0.byteCount) }
    }
}
