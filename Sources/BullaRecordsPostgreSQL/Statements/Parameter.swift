#if PostgreSQL
/// A parameter of a statement, in the binary format of PostgreSQL's protocol.
enum Parameter: Sendable {
    case bytes([UInt8])
    case integer(Int64)
    case manyBytes([[UInt8]?])
    case manyIntegers([Int64?])

    /// The type's number in PostgreSQL's catalogue, which is the same in all compatible databases.
    var type: UInt32 {
        switch self {
        case .bytes: Self.bytesType
        case .integer: Self.integerType
        case .manyBytes: 1001
        case .manyIntegers: 1016
        }
    }

    private static let bytesType: UInt32 = 17
    private static let integerType: UInt32 = 20

    /// Appends the value's bytes.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .bytes(let value): bytes += value
        case .integer(let value): bytes.append(bigEndian: value)
        case .manyBytes(let values):
            Self.appendHeader(values.count, of: Self.bytesType, to: &bytes)
            for value in values { Self.append(element: value, to: &bytes) }
        case .manyIntegers(let values):
            Self.appendHeader(values.count, of: Self.integerType, to: &bytes)
            for value in values {
                var element: [UInt8]?
                if let value {
                    element = []
                    element?.append(bigEndian: value)
                }
                Self.append(element: element, to: &bytes)
            }
        }
    }

    /// Appends the head of an array: the number of dimensions (0 if it is empty, otherwise 1),
    /// whether it can hold nulls, the type of its elements and, unless it is empty, its length and
    /// the index of its first element.
    private static func appendHeader(_ count: Int, of type: UInt32, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: type)
        guard count > 0 else { return }
        bytes.append(bigEndian: Int32(count))
        bytes.append(bigEndian: Int32(1))
    }

    private static func append(element: [UInt8]?, to bytes: inout [UInt8]) {
        guard let element else { return bytes.append(bigEndian: Int32(-1)) }
        bytes.append(bigEndian: Int32(element.count))
        bytes += element
    }
}

extension Parameter {
    static func text(_ value: String) -> Parameter { .bytes(Array(value.utf8)) }

    static func texts(_ values: some Sequence<String>) -> Parameter {
        .manyBytes(values.map { Array($0.utf8) })
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
#endif
