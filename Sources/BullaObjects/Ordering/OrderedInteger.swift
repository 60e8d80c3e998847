package import BullaMemory

/// A signed or unsigned integer of 64 bits, as bytes that sort as numbers do.
///
/// It takes only as many bytes as it needs:
///
/// | First byte | What follows |
/// |---|---|
/// | 20 - n | n bytes for a negative number: its magnitude with each bit inverted |
/// | 20 | nothing: zero |
/// | 20 + n | n bytes: the number |
///
/// The first of the n bytes is the highest. Only the shortest encoding of a number is valid.
package struct OrderedInteger: Hashable {
    package let isNegative: Bool
    package let magnitude: UInt64

    package static let zeroByte: UInt8 = 20

    package init(_ value: Int64) {
        isNegative = value < 0
        magnitude = value.magnitude
    }

    package init(_ value: UInt64) {
        isNegative = false
        magnitude = value
    }

    /// Decodes a number; `nil` if the bytes are not one.
    package init?(_ bytes: ByteView) {
        guard let count = Self.byteCount(first: bytes.load(UInt8.self, at: 0)),
            bytes.byteCount == count
        else { return nil }
        let isNegative = bytes.load(UInt8.self, at: 0) < Self.zeroByte
        let turned: UInt8 = isNegative ? 0xFF : 0
        var magnitude: UInt64 = 0
        for offset in 1..<max(count, 1) {
            magnitude = magnitude << 8 | UInt64(bytes.load(UInt8.self, at: offset) ^ turned)
        }
        guard count == 1 + Self.byteCount(of: magnitude),
            !isNegative || magnitude <= Int64.min.magnitude
        else { return nil }
        self.isNegative = isNegative
        self.magnitude = magnitude
    }

    /// The number, if it fits into an `Int64`.
    package var signed: Int64? {
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude == Int64.min.magnitude ? .min : -Int64(magnitude)
    }

    /// The number, unless it is negative.
    package var unsigned: UInt64? { isNegative ? nil : magnitude }

    package func append(to bytes: inout [UInt8]) {
        let count = Self.byteCount(of: magnitude)
        let turned: UInt8 = isNegative ? 0xFF : 0
        bytes.append(isNegative ? Self.zeroByte - UInt8(count) : Self.zeroByte + UInt8(count))
        for index in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: magnitude >> (8 * UInt64(index))) ^ turned)
        }
    }

    /// The total byte count of a number with this first byte, or `nil` if no number has it.
    package static func byteCount(first: UInt8) -> Int? {
        guard zeroByte - 8...zeroByte + 8 ~= first else { return nil }
        return 1 + Int((Int(first) - Int(zeroByte)).magnitude)
    }

    private static func byteCount(of magnitude: UInt64) -> Int {
        (64 - magnitude.leadingZeroBitCount + 7) / 8
    }
}
