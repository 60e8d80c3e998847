extension [UInt8] {
    /// The little-endian number at `offset`.
    package func load<T: FixedWidthInteger & UnsignedInteger>(_: T.Type, at offset: Int) -> T {
        (0..<T.bitWidth / 8).reduce(0) { $0 | T(self[offset + $1]) << T($1 * 8) }
    }

    package mutating func store<T: FixedWidthInteger & UnsignedInteger>(_ value: T, at offset: Int)
    {
        for index in 0..<T.bitWidth / 8 {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> T(index * 8))
        }
    }

    package mutating func append<T: FixedWidthInteger & UnsignedInteger>(little value: T) {
        for index in 0..<T.bitWidth / 8 { append(UInt8(truncatingIfNeeded: value >> T(index * 8))) }
    }

    package mutating func replace(at offset: Int, with other: [UInt8]) {
        replaceSubrange(offset..<offset + other.count, with: other)
    }
}
