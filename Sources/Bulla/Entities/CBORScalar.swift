internal import BullaMemory

/// A value that is encoded as one item, without inner items.
enum CBORScalar {
    case null
    case boolean(Bool)
    case unsigned(UInt64)
    /// The number -1 - n, stored as n.
    case negative(UInt64)
    case single(UInt32)
    case double(UInt64)
    case text(String)
    case bytes([UInt8])
    /// An integer of a type with more than 64 bits, which cannot be encoded.
    case wide

    /// `nil` for a value that encodes itself.
    @inline(__always)
    init?<T>(_ value: T) {
        if let number = same(value, Int.self) {
            self.init(number)
        } else if let text = same(value, String.self) {
            self = .text(text)
        } else if let boolean = same(value, Bool.self) {
            self = .boolean(boolean)
        } else if let number = same(value, Double.self) {
            self.init(number)
        } else if let bytes = same(value, [UInt8].self) {
            self = .bytes(bytes)
        } else {
            self.init(rare: value)
        }
    }

    @inline(__always)
    private init?<T>(rare value: T) {
        if let number = same(value, Float.self) {
            self = .single(number.bitPattern)
        } else if let number = same(value, Int8.self) {
            self.init(Int(number))
        } else if let number = same(value, Int16.self) {
            self.init(Int(number))
        } else if let number = same(value, Int32.self) {
            self.init(Int(number))
        } else if let number = same(value, Int64.self) {
            self.init(Int(number))
        } else if let number = same(value, UInt.self) {
            self = .unsigned(UInt64(number))
        } else if let number = same(value, UInt8.self) {
            self = .unsigned(UInt64(number))
        } else if let number = same(value, UInt16.self) {
            self = .unsigned(UInt64(number))
        } else if let number = same(value, UInt32.self) {
            self = .unsigned(UInt64(number))
        } else if let number = same(value, UInt64.self) {
            self = .unsigned(number)
        } else if T.self == Int128.self || T.self == UInt128.self {
            self = .wide
        } else {
            return nil
        }
    }

    private init(_ number: Int) {
        // Inverting all bits of a negative number gives -1 - number.
        self = number < 0 ? .negative(UInt64(~number)) : .unsigned(UInt64(number))
    }

    /// Uses 32 bits if they hold the same value, including the payload of a NaN.
    private init(_ number: Double) {
        let narrow = Float(number)
        let isExact = Double(narrow).bitPattern == number.bitPattern
        self = isExact ? .single(narrow.bitPattern) : .double(number.bitPattern)
    }

    var byteCount: Int {
        switch self {
        case .null, .boolean, .wide: 1
        case .unsigned(let number), .negative(let number): Self.headByteCount(number)
        case .single: 5
        case .double: 9
        case .text(let text): Self.byteCount(of: text)
        case .bytes(let bytes): Self.headByteCount(UInt64(bytes.count)) + bytes.count
        }
    }

    /// Writes the item, which takes ``byteCount`` bytes.
    func store(in bytes: MutableByteView, at offset: Int) {
        switch self {
        case .null, .wide: bytes.store(Self.first(.simple, CBORItem.null), at: offset)
        case .boolean(let isTrue):
            let info = isTrue ? CBORItem.isTrue : CBORItem.isFalse
            bytes.store(Self.first(.simple, info), at: offset)
        case .unsigned(let number): Self.storeHead(.unsigned, number, in: bytes, at: offset)
        case .negative(let number): Self.storeHead(.negative, number, in: bytes, at: offset)
        case .single(let bits):
            bytes.store(Self.first(.simple, CBORItem.single), at: offset)
            bytes.store(bits.byteSwapped, at: offset + 1)
        case .double(let bits):
            bytes.store(Self.first(.simple, CBORItem.double), at: offset)
            bytes.store(bits.byteSwapped, at: offset + 1)
        case .text(let text): Self.store(text, in: bytes, at: offset)
        case .bytes(let content):
            content.withView { Self.store(.bytes, $0, in: bytes, at: offset) }
        }
    }

    static func byteCount(of text: String) -> Int {
        let count = text.utf8.count
        return headByteCount(UInt64(count)) + count
    }

    static func store(_ text: String, in bytes: MutableByteView, at offset: Int) {
        text.withBytes { text in
            text.withView { store(.text, $0, in: bytes, at: offset) }
        }
    }

    private static func store(
        _ kind: CBORItem.Kind, _ content: ByteView, in bytes: MutableByteView, at offset: Int
    ) {
        let start = storeHead(kind, UInt64(content.byteCount), in: bytes, at: offset)
        bytes.copy(content, to: start)
    }

    /// The length of the shortest head that holds an argument.
    static func headByteCount(_ argument: UInt64) -> Int {
        switch argument {
        case ..<24: 1
        case ...0xFF: 2
        case ...0xFFFF: 3
        case ...0xFFFF_FFFF: 5
        default: 9
        }
    }

    /// Writes the shortest head, and returns where the content begins.
    ///
    /// - Source: RFC 8949, section 4.1 (preferred serialization).
    @discardableResult
    static func storeHead(
        _ kind: CBORItem.Kind, _ argument: UInt64, in bytes: MutableByteView, at offset: Int
    ) -> Int {
        let count = headByteCount(argument) - 1
        guard count > 0 else {
            bytes.store(first(kind, UInt8(argument)), at: offset)
            return offset + 1
        }
        bytes.store(first(kind, CBORItem.oneByte + UInt8(count.trailingZeroBitCount)), at: offset)
        switch count {
        case 1: bytes.store(UInt8(argument), at: offset + 1)
        case 2: bytes.store(UInt16(argument).byteSwapped, at: offset + 1)
        case 4: bytes.store(UInt32(argument).byteSwapped, at: offset + 1)
        default: bytes.store(argument.byteSwapped, at: offset + 1)
        }
        return offset + 1 + count
    }

    private static func first(_ kind: CBORItem.Kind, _ info: UInt8) -> UInt8 {
        kind.rawValue << 5 | info
    }
}
