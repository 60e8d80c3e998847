internal import BullaMemory

/// The head of one item: what it is, and where its content begins.
///
/// Entities use only the part of CBOR that Codable needs: integers, floats, booleans, null, texts,
/// byte strings, arrays, and maps whose keys are texts, each of definite length. Tags, other simple
/// values and items of indefinite length are refused.
///
/// - Source: RFC 8949, section 3.
struct CBORItem {
    /// The upper three bits of the first byte.
    enum Kind: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple
    }

    let kind: Kind
    /// The lower five bits of the first byte: the argument, or how many bytes it takes.
    let info: UInt8
    /// A number, a count of bytes or items, or the bits of a float.
    let argument: UInt64
    /// Where the content begins or, if there is none, where the next item begins.
    let content: Int

    /// Makes an item from one byte of a byte string; the byte has no head of its own.
    init(byte: UInt8, before content: Int) {
        kind = .unsigned
        info = 0
        argument = UInt64(byte)
        self.content = content
    }

    /// Reads the head at `offset`; `nil` if the bytes end inside it, or if it is reserved or of
    /// indefinite length.
    init?(_ view: ByteView, at offset: Int) {
        guard view.contains(offset, 1) else { return nil }
        let first = view.load(UInt8.self, at: offset)
        // The fallback is never used, because three bits have eight values, and there are eight
        // cases.
        kind = Kind(rawValue: first >> 5) ?? .simple
        info = first & 31
        let start = offset + 1
        switch info {
        case 0...23:
            argument = UInt64(info)
            content = start
        case Self.oneByte...Self.eightBytes:
            let count = 1 << Int(info - Self.oneByte)
            guard view.contains(start, count) else { return nil }
            argument = Self.number(view, at: start, count)
            content = start + count
        default: return nil
        }
    }

    @inline(__always)
    private static func number(_ view: ByteView, at offset: Int, _ count: Int) -> UInt64 {
        switch count {
        case 1: UInt64(view.load(UInt8.self, at: offset))
        case 2: UInt64(view.load(UInt16.self, at: offset).byteSwapped)
        case 4: UInt64(view.load(UInt32.self, at: offset).byteSwapped)
        default: view.load(UInt64.self, at: offset).byteSwapped
        }
    }

    /// The argument as a count, for an item that has passed ``CBORCheck``.
    var count: Int { Int(clamping: argument) }

    var isNull: Bool { kind == .simple && info == Self.null }

    /// The bytes of a text or a byte string.
    func bytes(in view: ByteView) -> ByteView { view.slice(content, count) }

    /// Where the next item begins; only for bytes that have passed ``CBORCheck``.
    ///
    /// - Complexity: linear in the items inside.
    func end(in view: ByteView) -> Int? {
        guard kind == .array || kind == .map else { return endOfOne }
        var left = innerCount
        var offset = content
        while left > 0 {
            guard let item = CBORItem(view, at: offset) else { return nil }
            left += item.innerCount - 1
            offset = item.endOfOne
        }
        return offset
    }

    private var endOfOne: Int { kind == .bytes || kind == .text ? content + count : content }

    private var innerCount: Int {
        switch kind {
        case .array: count
        case .map: 2 * count
        default: 0
        }
    }

    // Values of `info` for an argument in the next bytes, for simple values and for floats.
    static let oneByte: UInt8 = 24
    static let eightBytes: UInt8 = 27
    static let isFalse: UInt8 = 20
    static let isTrue: UInt8 = 21
    static let null: UInt8 = 22
    static let half: UInt8 = 25
    static let single: UInt8 = 26
    static let double: UInt8 = 27
}
