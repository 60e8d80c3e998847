package import BullaMemory

/// A key in the making: values one after the other, as bytes that sort as the values do, one by
/// one.
///
/// Each says where it ends. A text's zero bytes are followed by 255, and two zeros end it. A value
/// that may be missing has 1 before it, and a missing one is 0: it sorts before all that are there.
package struct OrderedKey: Hashable {
    package private(set) var bytes: [UInt8] = []

    package static let missing: UInt8 = 0
    package static let present: UInt8 = 1
    package static let escaped: UInt8 = 0xFF

    package init() {}

    /// A key of these parts.
    package init(_ parts: [Scalar]) { for part in parts { append(part) } }

    /// A key of these parts, for a model whose keys have parts of certain types.
    ///
    /// - Throws: `invalidKey` where they are of other types, or one is no number.
    package init(
        _ parts: [Scalar], _ types: [ScalarType], of model: String
    ) throws(ObjectError) {
        guard parts.map(\.type) == types else {
            throw ObjectError(.invalidKey, "write \(model): its key has other types")
        }
        guard !parts.contains(where: \.isNaN) else {
            throw ObjectError(.invalidKey, "write \(model): what is no number is no key")
        }
        self.init(parts)
    }

    package mutating func appendMissing() { bytes.append(Self.missing) }

    package mutating func appendPresent() { bytes.append(Self.present) }

    package mutating func append(_ part: Scalar) {
        if part.type.isDelimited { return part.append(to: &bytes) }
        part.bytes.withView { append($0, part.type) }
    }

    /// Appends a value, as a row has it.
    package mutating func append(_ scalar: ByteView, _ type: ScalarType) {
        guard !type.isDelimited else {
            bytes.append(scalar)
            return
        }
        appendText(scalar)
        bytes.append(0)
        bytes.append(0)
    }

    /// Appends the beginning of a text, which all texts share that begin with it.
    package mutating func appendPrefix(_ text: ByteView) { appendText(text) }

    /// Appends what another key's bytes hold already.
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
