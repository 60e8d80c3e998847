extension [UInt8] {
    /// Appends the bytes of a word, the highest first, so that keys sort as their numbers do.
    mutating func append<T: FixedWidthInteger>(bigEndian word: T) {
        for shift in (0..<T.bitWidth / 8).reversed() {
            append(UInt8(truncatingIfNeeded: word >> (shift * 8)))
        }
    }
}
