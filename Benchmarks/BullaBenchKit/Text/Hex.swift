/// Bytes and numbers in hexadecimal digits.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The 16 digits of a number, highest first.
    package static func bytes(of number: UInt64) -> [UInt8] {
        stride(from: 60, through: 0, by: -4).map {
            digits[Int(truncatingIfNeeded: number >> UInt64($0)) & 15]
        }
    }

    package static func string(_ number: UInt64) -> String {
        String(decoding: bytes(of: number), as: UTF8.self)
    }

    package static func string(_ bytes: [UInt8]) -> String {
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The numbers that groups of 16 digits spell; nil where they spell none.
    package static func words(from text: String) -> [UInt64]? {
        guard let bytes = bytes(from: text), bytes.count % 8 == 0 else { return nil }
        return stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The bytes that `text` spells; nil where it spells none.
    package static func bytes(from text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
        guard values.count == text.utf8.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map {
            UInt8(values[$0] << 4 | values[$0 + 1])
        }
    }
}
