internal import BullaMemory

/// Numbers in as few bytes as they need (unsigned LEB128).
///
/// Each byte has seven bits of the number, the lowest first, and its top bit is set unless it is
/// the last. A number has only one form, because the last byte is not zero, unless it is the only
/// one.
enum Varint {
    /// The maximum number of bytes that a number takes.
    static let byteLimit = 10

    static func byteCount(_ number: UInt64) -> Int {
        // One byte for each seven bits, or part of seven; zero takes one byte, too.
        (UInt64.bitWidth - (number | 1).leadingZeroBitCount + 6) / 7
    }

    /// Writes a number, and moves `offset` past it.
    static func store(_ number: UInt64, in bytes: MutableByteView, at offset: inout Int) {
        let start = offset
        var rest = number
        while rest >= 0x80 {
            bytes.store(UInt8(truncatingIfNeeded: rest) | 0x80, at: offset)
            rest >>= 7
            offset += 1
        }
        bytes.store(UInt8(rest), at: offset)
        offset += 1
        invariant(offset - start == byteCount(number), "a number takes as many bytes as it says")
    }

    /// Reads the number at `offset`, and moves `offset` past it.
    ///
    /// - Returns: `nil` if the number ends beyond the bytes, has more than 64 bits, or takes more
    ///   bytes than it needs.
    static func load(_ bytes: ByteView, at offset: inout Int) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: UInt64.bitWidth, by: 7) {
            guard offset < bytes.byteCount else { return nil }
            let byte = bytes.load(UInt8.self, at: offset)
            offset += 1
            let part = UInt64(byte & 0x7f)
            // The tenth byte holds the last bit.
            let shifted = part << UInt64(shift)
            guard shifted >> UInt64(shift) == part else { return nil }
            number |= shifted
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : number }
        }
        return nil
    }
}
