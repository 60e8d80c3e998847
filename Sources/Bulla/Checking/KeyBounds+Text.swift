internal import BullaMemory

extension KeyBounds {
    /// The first key inside, in hexadecimal digits; `nil` if there is no lower bound.
    var lowerText: String? { lower?.hexadecimal }

    /// The first key behind, likewise; behind a single key that is the key with a zero byte
    /// appended.
    var upperText: String? { upper.map { $0.hexadecimal + (isOneKey ? "00" : "") } }
}

extension ByteView {
    /// The bytes in hexadecimal digits, for a caller to keep.
    fileprivate var hexadecimal: String {
        Hexadecimal.text((0..<byteCount).lazy.map { load(UInt8.self, at: $0) })
    }
}
