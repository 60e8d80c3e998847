internal import BullaTestSupport

extension UInt64 {
    /// The bytes of the number, least significant first.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: self)
        return bytes
    }
}
