internal import BullaMemory

extension KeyBounds {
    /// The first key within the bounds, in hexadecimal digits; `nil` if there is no lower bound.
    var lowerText: String? { lower?.hexadecimal }

    /// The first key after the bounds, in hexadecimal digits; `nil` if there is no upper bound.
    ///
    /// The first key after a single key is that key with a zero byte appended.
    var upperText: String? { upper.map { $0.hexadecimal + (isOneKey ? "00" : "") } }
}

extension ByteView {
    /// A copy of the bytes in hexadecimal digits, which a caller can keep.
    fileprivate var hexadecimal: String {
        Hexadecimal.text((0..<byteCount).lazy.map { load(UInt8.self, at: $0) })
    }
}
