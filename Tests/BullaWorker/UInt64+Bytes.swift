extension UInt64 {
    /// The number's eight bytes, the greatest first, so that they sort as the number does.
    package var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    /// The number of which these are the bytes.
    package init(_ bytes: [UInt8]) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
