package import BullaMemory

/// A key under construction: consecutive values, as bytes that sort by the first value, then by the
/// next, and so on.
///
/// The bytes and the type of a value show where it ends. In a text, 255 follows each zero byte, and
/// two zero bytes end the text. A byte 1 precedes an optional value that is present. A byte 0
/// stands for one that is missing, so a missing value sorts before all others.
package struct OrderedKey: Hashable {
    package private(set) var bytes: [UInt8] = []

    package static let missing: UInt8 = 0
    package static let present: UInt8 = 1
    package static let escaped: UInt8 = 0xFF

    package init() {}

    /// A key with these parts.
    package init(_ parts: [Scalar]) { for part in parts { append(part) } }

    /// A key with these parts, whose types must be those of the model's key.
    ///
    /// - Throws: `invalidKey` if the parts have other types, or one is NaN.
    package init(
        _ parts: [Scalar], _ types: [ScalarType], of model: String
    ) throws(ObjectError) {
        guard parts.map(\.type) == types else {
            throw ObjectError(.invalidKey, "write \(model): its key has other types")
        }
        guard !parts.contains(where: \.isNaN) else {
            throw ObjectError(.invalidKey, "write \(model): NaN cannot be in a key")
        }
        self.init(parts)
    }

    package mutating func appendMissing() { bytes.append(Self.missing) }

    package mutating func appendPresent() { bytes.append(Self.present) }

    package mutating func append(_ part: Scalar) {
        if part.type.isDelimited { return part.append(to: &bytes) }
        part.bytes.withView { append($0, part.type) }
    }

    /// Appends a value, which is given in the encoding of rows.
    package mutating func append(_ scalar: ByteView, _ type: ScalarType) {
        guard !type.isDelimited else {
            bytes.append(scalar)
            return
        }
        appendText(scalar)
        bytes.append(0)
        bytes.append(0)
    }

    /// Appends the beginning of a text, so that the key is a prefix of the keys of all texts with
    /// this beginning.
    package mutating func appendPrefix(_ text: ByteView) { appendText(text) }

    /// Appends bytes that are already encoded as a key.
    package mutating func append(_ ordered: ByteView) { bytes.append(ordered) }

    private mutating func appendText(_ text: ByteView) {
        var start = 0
        for offset in 0..<text.byteCount where text.load(UInt8.self, at: offset) == 0 {
            bytes.append(text.slice(start, offset + 1 - start))
            bytes.append(Self.escaped)
            start = offset + 1
        }
        bytes.append(text.slice(start, text.byteCount - start))
    }
}
