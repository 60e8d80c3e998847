package import BullaMemory

/// The row of an object: the values of its properties, by number.
///
///     offset  bytes   field
///          0      1   high half: the version, 1; low half: how many bytes each of the ends below
///                     has: 1, 2 or 4
///          1      2   count: how many properties were known when the row was written
///          3      n   presence: a bit for each of them, the lowest bit first; n = (count + 7) / 8
///      3 + n          the end of each present value, counted from the start of the first value
///                     the values, in the order of the numbers
///
/// Integers are little-endian. A property that is not present is nil, empty, or the zero of its
/// type. A property that the writer did not know has the initial value that the schema states.
/// Finding one property does not require looking at the values of others.
///
/// The bytes can be anything: bytes that are not a row are refused, and a value that does not lie
/// within the row counts as damaged.
package struct Row {
    package enum Field {
        /// The row's writer did not know the property.
        case unknown
        /// The property is nil, empty or zero.
        case absent
        case value(ByteView)
        /// The property's value does not lie within the row.
        case damaged
    }

    package static let version: UInt8 = 1
    package static let headerByteCount = 3
    /// How many property numbers a type can have.
    ///
    /// Numbers are never reused, so a type that changes often uses up many.
    package static let propertyLimit = 1000

    package let count: Int
    private let row: ByteView
    private let width: Int
    /// The presence bits of the first 64 properties; few types have more properties than that.
    private let presence: UInt64
    private let endsOffset: Int
    private let valuesOffset: Int

    package init?(_ row: ByteView) {
        let first = row.load(UInt8.self, at: 0)
        width = Int(first & 0xF)
        count = Int(row.load(UInt16.self, at: 1))
        self.row = row
        let presenceByteCount = (count + 7) / 8
        endsOffset = Self.headerByteCount + presenceByteCount
        guard first >> 4 == Self.version, width == 1 || width == 2 || width == 4,
            count <= Self.propertyLimit, row.contains(Self.headerByteCount, presenceByteCount)
        else { return nil }
        presence = Self.presence(row, count)
        var presentCount = (presence & Self.bits(below: min(count, 64))).nonzeroBitCount
        if count > 64 { presentCount = Self.presentCount(row, before: count) }
        valuesOffset = endsOffset + width * presentCount
        guard valuesOffset <= row.byteCount else { return nil }
    }

    private static func presence(_ row: ByteView, _ count: Int) -> UInt64 {
        guard !row.contains(headerByteCount, 8) else {
            return row.load(UInt64.self, at: headerByteCount)
        }
        var bits: UInt64 = 0
        for index in 0..<min((count + 7) / 8, 8) {
            bits |= UInt64(row.load(UInt8.self, at: headerByteCount + index)) << (8 * index)
        }
        return bits
    }

    /// - Parameter number: at most 64.
    private static func bits(below number: Int) -> UInt64 {
        number == 64 ? .max : 1 << UInt64(number) - 1
    }

    package subscript(number: Int) -> Field {
        guard number < count else { return .unknown }
        guard isPresent(number) else { return .absent }
        let rank = presentCount(before: number)
        let start = rank == 0 ? 0 : end(rank - 1)
        let end = end(rank)
        guard start <= end, row.contains(valuesOffset + start, end - start) else {
            return .damaged
        }
        return .value(row.slice(valuesOffset + start, end - start))
    }

    /// A copy of all bytes.
    package func copied() -> [UInt8] { row.copied() }

    /// Whether the ends ascend, so that no byte belongs to two values.
    package var isInOrder: Bool {
        let count = presentCount(before: count)
        return (0..<count).dropFirst().allSatisfy { end($0 - 1) <= end($0) }
    }

    private func isPresent(_ number: Int) -> Bool {
        if number < 64 { return presence >> UInt64(number) & 1 == 1 }
        let byte = row.load(UInt8.self, at: Self.headerByteCount + number / 8)
        return byte >> UInt8(number % 8) & 1 == 1
    }

    /// How many properties with a lower number are present.
    private func presentCount(before number: Int) -> Int {
        number <= 64
            ? (presence & Self.bits(below: number)).nonzeroBitCount
            : Self.presentCount(row, before: number)
    }

    private static func presentCount(_ row: ByteView, before number: Int) -> Int {
        var (count, left, offset) = (0, number, headerByteCount)
        while left >= 32 {
            count += row.load(UInt32.self, at: offset).nonzeroBitCount
            (left, offset) = (left - 32, offset + 4)
        }
        while left > 0 {
            let bits = row.load(UInt8.self, at: offset)
            count += (left >= 8 ? bits : bits & (1 << UInt8(left) - 1)).nonzeroBitCount
            (left, offset) = (left - 8, offset + 1)
        }
        return count
    }

    private func end(_ rank: Int) -> Int {
        let offset = endsOffset + width * rank
        return switch width {
        case 1: Int(row.load(UInt8.self, at: offset))
        case 2: Int(row.load(UInt16.self, at: offset))
        default: Int(row.load(UInt32.self, at: offset))
        }
    }
}
