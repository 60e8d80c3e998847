extension UInt64 {
    /// The number's eight bytes, most significant first, so that they sort like the number.
    package var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    /// The number with these bytes.
    package init(_ bytes: [UInt8]) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
