internal import BullaObjectPeer
internal import Foundation

/// An item as a program without an object layer would store it: its numbers in eight bytes each,
/// the ends of its texts, and the texts.
enum ItemRow {
    private static let (team, joined, rank, balance) = (0, 8, 16, 24)
    private static let (ends, texts) = (32, 38)

    static func write(_ item: Item, to row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        append(UInt64(item.team), to: &row)
        append(item.joined.timeIntervalSinceReferenceDate.bitPattern, to: &row)
        append(UInt64(item.rank), to: &row)
        append(item.balance.bitPattern, to: &row)
        var end = texts
        for text in [item.name, item.city, item.note] {
            end += text.utf8.count
            append(UInt16(end), to: &row)
        }
        row += item.name.utf8
        row += item.city.utf8
        row += item.note.utf8
    }

    static func setBalance(_ value: Double, in row: inout [UInt8]) {
        for index in 0..<8 {
            row[balance + index] = UInt8(truncatingIfNeeded: value.bitPattern >> (8 * index))
        }
    }

    static func item(_ number: Int, _ row: RawSpan) -> Item {
        let (name, city) = (
            Int(load(UInt16.self, row, ends)), Int(load(UInt16.self, row, ends + 2))
        )
        let note = Int(load(UInt16.self, row, ends + 4))
        let joined = Double(bitPattern: load(UInt64.self, row, joined))
        return Item(
            number: number, name: text(row, texts..<name), team: Int(load(UInt64.self, row, team)),
            city: text(row, name..<city),
            joined: Date(timeIntervalSinceReferenceDate: joined), rank: rank(row),
            balance: Double(bitPattern: load(UInt64.self, row, balance)),
            note: text(row, city..<note))
    }

    /// Reads the rank without the other properties.
    static func rank(_ row: RawSpan) -> Int { Int(load(UInt64.self, row, rank)) }

    private static func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type, _ row: RawSpan, _ offset: Int
    ) -> Value {
        // SAFETY: the call checks the bounds, and any bytes are a valid number.
        Value(littleEndian: unsafe row.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    private static func text(_ row: RawSpan, _ range: Range<Int>) -> String {
        // SAFETY: the bytes are copied while they are lent.
        unsafe row.extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private static func append(_ number: some FixedWidthInteger, to row: inout [UInt8]) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            row.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// A key in one of the trees: keys sort as bytes, and an index entry ends with its object's number.
struct ItemKey {
    private(set) var bytes: [UInt8] = []

    init(number: Int) { append(number) }

    init(team: Int) { append(team) }

    /// A zero byte ends the city's name; no name contains one.
    init(city: String) { bytes = Array(city.utf8) + [0] }

    /// - Note: only for times after the reference date, because the bits of earlier times do not
    ///   sort like the times.
    init(joined: Date) { append(Int(joined.timeIntervalSinceReferenceDate.bitPattern)) }

    func with(_ number: Int) -> [UInt8] {
        var key = self
        key.append(number)
        return key.bytes
    }

    /// The number at the end of an entry.
    static func number(_ entry: RawSpan) -> Int {
        // SAFETY: the call checks the bounds, and any bytes are a valid number.
        Int(
            bigEndian: unsafe entry.unsafeLoadUnaligned(
                fromByteOffset: entry.byteCount - 8, as: Int.self))
    }

    private mutating func append(_ number: Int) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
