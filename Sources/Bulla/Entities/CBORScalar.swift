internal import BullaMemory

/// A value that one item stands for, without others inside.
enum CBORScalar {
    case null
    case boolean(Bool)
    case unsigned(UInt64)
    /// -1 - n, for the n it has.
    case negative(UInt64)
    case single(UInt32)
    case double(UInt64)
    case text(String)
    case bytes([UInt8])
    /// An integer of more than 64 bits.
    case wide

    /// `nil` for a value that has a coding of its own.
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
        // All bits of a negative number inverted are -1 - number.
        self = number < 0 ? .negative(UInt64(~number)) : .unsigned(UInt64(number))
    }

    /// As 32 bits where they say the same, payloads of NaN included.
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

    /// Writes over ``byteCount`` bytes.
    func store(in writer: inout SecretWriter, at offset: Int) {
        switch self {
        case .null, .wide: writer.store(Self.first(.simple, CBORItem.null), at: offset)
        case .boolean(let isTrue):
            let info = isTrue ? CBORItem.isTrue : CBORItem.isFalse
            writer.store(Self.first(.simple, info), at: offset)
        case .unsigned(let number): Self.storeHead(.unsigned, number, in: &writer, at: offset)
        case .negative(let number): Self.storeHead(.negative, number, in: &writer, at: offset)
        case .single(let bits):
            writer.store(Self.first(.simple, CBORItem.single), at: offset)
            writer.store(bigEndian: UInt64(bits), 4, at: offset + 1)
        case .double(let bits):
            writer.store(Self.first(.simple, CBORItem.double), at: offset)
            writer.store(bigEndian: bits, 8, at: offset + 1)
        case .text(let text): Self.store(text, in: &writer, at: offset)
        case .bytes(let bytes):
            let start = Self.storeHead(.bytes, UInt64(bytes.count), in: &writer, at: offset)
            bytes.withView { writer.store($0, at: start) }
        }
    }

    static func byteCount(of text: String) -> Int {
        let count = text.utf8.count
        return headByteCount(UInt64(count)) + count
    }

    static func store(_ text: String, in writer: inout SecretWriter, at offset: Int) {
        let start = storeHead(.text, UInt64(text.utf8.count), in: &writer, at: offset)
        text.withBytes { $0.withView { writer.store($0, at: start) } }
    }

    /// How many bytes the shortest head with an argument takes.
    static func headByteCount(_ argument: UInt64) -> Int {
        switch argument {
        case ..<24: 1
        case ...0xFF: 2
        case ...0xFFFF: 3
        case ...0xFFFF_FFFF: 5
        default: 9
        }
    }

    /// Writes the shortest head, and says where the content begins.
    ///
    /// - Source: RFC 8949, section 4.1 (preferred serialization).
    @discardableResult
    static func storeHead(
        _ kind: CBORItem.Kind, _ argument: UInt64, in writer: inout SecretWriter, at offset: Int
    ) -> Int {
        let count = headByteCount(argument) - 1
        guard count > 0 else {
            writer.store(first(kind, UInt8(argument)), at: offset)
            return offset + 1
        }
        let info = CBORItem.oneByte + UInt8(count.trailingZeroBitCount)
        writer.store(first(kind, info), at: offset)
        writer.store(bigEndian: argument, count, at: offset + 1)
        return offset + 1 + count
    }

    private static func first(_ kind: CBORItem.Kind, _ info: UInt8) -> UInt8 {
        kind.rawValue << 5 | info
    }
}
