package import BullaMemory

/// Reads the values of a key, one by one.
///
/// The bytes can be anything: reading ends at the first bytes that do not belong to a key.
package struct OrderedReader {
    private let key: ByteView
    package private(set) var offset = 0

    package init(_ key: ByteView) { self.key = key }

    package var isAtEnd: Bool { offset >= key.byteCount }

    /// Whether the next optional value is present; `nil` if the key has ended or the mark is wrong.
    package mutating func takePresence() -> Bool? {
        guard !isAtEnd else { return nil }
        let byte = key.load(UInt8.self, at: offset)
        guard byte == OrderedKey.missing || byte == OrderedKey.present else { return nil }
        offset += 1
        return byte == OrderedKey.present
    }

    /// Takes the next value, and lends its bytes in the encoding of rows.
    ///
    /// - Returns: `nil` if the next value is not of this type.
    package mutating func take<R, E: Error>(
        _ type: ScalarType, _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R? {
        let rest = key.slice(offset, key.byteCount - offset)
        guard let length = Self.byteCount(rest, type) else { return nil }
        offset += length.encoded
        let encoded = rest.slice(0, length.text)
        guard length.text != length.bare else { return try body(encoded) }
        return try Self.bare(encoded).withView(body)
    }

    /// Skips the next value; returns `false` if it is not of this type.
    package mutating func skip(_ type: ScalarType) -> Bool {
        let rest = key.slice(offset, key.byteCount - offset)
        guard let length = Self.byteCount(rest, type) else { return false }
        offset += length.encoded
        return true
    }

    /// Whether a key consists of exactly one value of this type.
    package static func isOne(_ key: ByteView, _ type: ScalarType) -> Bool {
        byteCount(key, type)?.encoded == key.byteCount
    }

    /// A text without the marks after its zero bytes.
    private static func bare(_ text: ByteView) -> [UInt8] {
        var bare: [UInt8] = []
        bare.reserveCapacity(text.byteCount)
        var offset = 0
        while offset < text.byteCount {
            let byte = text.load(UInt8.self, at: offset)
            bare.append(byte)
            offset += byte == 0 ? 2 : 1
        }
        return bare
    }

    /// The byte counts of the value at the beginning of `rest`: in all; without the mark at its
    /// end; and without that mark and the marks after its zero bytes.
    private static func byteCount(
        _ rest: ByteView, _ type: ScalarType
    ) -> (encoded: Int, text: Int, bare: Int)? {
        let count: Int? =
            switch type {
            case .boolean: 1
            case .double, .date: 8
            case .uuid: 16
            case .integer: OrderedInteger.byteCount(first: rest.load(UInt8.self, at: 0))
            case .decimal: OrderedDecimal.byteCount(rest)
            case .string, .data: nil
            }
        guard type.isDelimited else { return textByteCount(rest) }
        guard let count, count <= rest.byteCount else { return nil }
        return (count, count, count)
    }

    private static func textByteCount(
        _ rest: ByteView
    ) -> (encoded: Int, text: Int, bare: Int)? {
        var (offset, markCount) = (0, 0)
        while offset + 1 < rest.byteCount {
            guard rest.load(UInt8.self, at: offset) == 0 else {
                offset += 1
                continue
            }
            switch rest.load(UInt8.self, at: offset + 1) {
            case 0: return (offset + 2, offset, offset - markCount)
            case OrderedKey.escaped: (offset, markCount) = (offset + 2, markCount + 1)
            default: return nil
            }
        }
        return nil
    }
}
