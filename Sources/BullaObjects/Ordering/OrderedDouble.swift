package import BullaMemory

/// A `Double` as an integer whose bytes, the highest first, sort as numbers do.
///
/// Negative zero becomes zero. All NaNs become one value, which sorts last.
package struct OrderedDouble: Hashable {
    package let word: UInt64

    private static let signBit: UInt64 = 1 << 63

    package init(_ value: Double) {
        let bits = value.bitPattern
        if value.isNaN {
            word = .max
        } else if value == 0 {
            word = Self.signBit
        } else {
            word = value < 0 ? ~bits : bits | Self.signBit
        }
    }

    /// Decodes a number; `nil` if the bytes are not one.
    package init?(_ bytes: ByteView) {
        guard bytes.byteCount == 8 else { return nil }
        word = bytes.load(UInt64.self, at: 0).byteSwapped
        // Refuse a second encoding of a number: it would be a second key for that number.
        guard Self(value).word == word else { return nil }
    }

    package var value: Double {
        if word == .max { return .nan }
        return Double(bitPattern: word & Self.signBit == 0 ? ~word : word & ~Self.signBit)
    }

    package func append(to bytes: inout [UInt8]) { bytes.append(word: word) }
}

extension [UInt8] {
    /// Appends a word, its highest byte first.
    package mutating func append(word: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }
}
