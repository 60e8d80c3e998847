internal import BullaMemory

extension CBORItem {
    /// Makes a value of type `T` from an item that has no inner items.
    ///
    /// A number can become any type that holds it exactly; a float never becomes an integer, even
    /// if it is a whole number.
    ///
    /// - Throws: ``DecodingRefusal/composite`` for a type that decodes itself; otherwise the reason
    ///   why the item does not fit the type.
    @inline(__always)
    func scalar<T>(_ type: T.Type, in view: ByteView) throws(DecodingRefusal) -> T {
        if T.self == Int.self {
            same(try integer(Int.self))
        } else if T.self == String.self {
            same(try text(in: view))
        } else if T.self == Bool.self {
            same(try boolean())
        } else if T.self == Double.self {
            same(try double())
        } else if T.self == [UInt8].self, kind == .bytes {
            same(bytes(in: view).copied())
        } else {
            try rareScalar(T.self)
        }
    }

    @inline(__always)
    private func rareScalar<T>(_ type: T.Type) throws(DecodingRefusal) -> T {
        if T.self == Float.self {
            same(try float())
        } else if T.self == Int8.self {
            same(try integer(Int8.self))
        } else if T.self == Int16.self {
            same(try integer(Int16.self))
        } else if T.self == Int32.self {
            same(try integer(Int32.self))
        } else if T.self == Int64.self {
            same(try integer(Int64.self))
        } else if T.self == UInt.self {
            same(try integer(UInt.self))
        } else if T.self == UInt8.self {
            same(try integer(UInt8.self))
        } else if T.self == UInt16.self {
            same(try integer(UInt16.self))
        } else if T.self == UInt32.self {
            same(try integer(UInt32.self))
        } else if T.self == UInt64.self {
            same(try integer(UInt64.self))
        } else {
            throw .composite
        }
    }

    private func integer<I: FixedWidthInteger>(_ type: I.Type) throws(DecodingRefusal) -> I {
        let number: I?
        switch kind {
        case .unsigned: number = I(exactly: argument)
        case .negative: number = Int64(exactly: argument).flatMap { I(exactly: ~$0) }
        default: throw mismatch
        }
        guard let number else { throw .inexact }
        return number
    }

    private func double() throws(DecodingRefusal) -> Double {
        let number: Double?
        switch kind {
        case .unsigned: number = Double(exactly: argument)
        // The smallest negative integer of CBOR is -2^64, which an Int64 cannot hold.
        case .negative: number = Double(exactly: -1 - Int128(argument))
        case .simple where info == Self.half:
            number = Double(Float16(bitPattern: UInt16(truncatingIfNeeded: argument)))
        case .simple where info == Self.single:
            number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
        case .simple where info == Self.double: number = Double(bitPattern: argument)
        default: throw mismatch
        }
        guard let number else { throw .inexact }
        return number
    }

    private func float() throws(DecodingRefusal) -> Float {
        // Converting through Double would turn a signaling NaN into a quiet one.
        if kind == .simple, info == Self.single {
            return Float(bitPattern: UInt32(truncatingIfNeeded: argument))
        }
        let wide = try double()
        if wide.isNaN { return Float(wide) }
        guard let number = Float(exactly: wide) else { throw .inexact }
        return number
    }

    private func boolean() throws(DecodingRefusal) -> Bool {
        guard kind == .simple, info == Self.isTrue || info == Self.isFalse else { throw mismatch }
        return info == Self.isTrue
    }

    private func text(in view: ByteView) throws(DecodingRefusal) -> String {
        guard kind == .text else { throw mismatch }
        return bytes(in: view).validText
    }

    var mismatch: DecodingRefusal { isNull ? .null : .mismatch }
}
