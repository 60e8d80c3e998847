extension UInt64 {
    /// The eight bytes, the lowest first.
    var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}

extension [UInt8] {
    /// Appends the eight bytes of a word, the lowest first.
    mutating func append(littleEndian word: UInt64) {
        for shift in 0..<8 { append(UInt8(truncatingIfNeeded: word >> (shift * 8))) }
    }
}
