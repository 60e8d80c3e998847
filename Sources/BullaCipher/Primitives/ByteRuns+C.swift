internal import BullaMemory
internal import CBullaCipher

extension ByteView {
    /// Views in the form that the C code takes, valid as long as their bytes are.
    ///
    /// The function takes the views as an argument, because a member of `[ByteView]` would be
    /// compiled as generic code.
    static func runs(_ views: [ByteView]) -> [bulla_bytes] {
        unsafe views.map { unsafe bulla_bytes(base: $0.base, byte_count: $0.byteCount) }
    }
}
