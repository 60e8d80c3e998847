/// A record's place in an index, as bytes that sort as the values do.
///
///     type, 0, field, 0, value, 0, name of the record
///
/// Names of types and fields have no zero byte. In a value, a zero byte is written as 0 and 255, so
/// that a value sorts before longer values that begin with it. Long values are cut off; to
/// distinguish values that are equal up to the cut, the caller reads the records themselves.
package enum IndexKey {
    /// The maximum number of bytes that an index takes from a text, from bytes, or from the name in
    /// a reference.
    ///
    /// This is small enough for the key limit of any store: with all names at their limits, and 96
    /// bytes of value that are all 0, a place has 960 bytes.
    package static let valueByteLimit = 96

    /// The range of an index that has all records of a type, sorted by one of its fields.
    package static func field(_ field: String, of type: String) -> IndexRange {
        let lower = prefix(type, field)
        return IndexRange(lower, upTo: after(lower))
    }

    /// The range of one value of a field; if the value is long, the range includes all values with
    /// the same beginning.
    package static func value(
        _ value: RecordValue, of field: String, _ type: String
    ) -> IndexRange {
        // `lower` ends with the 0 after the value. In a place of this value, a record's name comes
        // next, and no name begins with 255. If a longer value continues this one with a zero byte,
        // its places have 255 here, because a zero byte is written as 0 and 255. So they are
        // outside the range.
        let lower = prefix(type, field) + ordered(value) + [0]
        return IndexRange(lower, upTo: lower + [255])
    }

    /// A record's place.
    package static func place(
        _ value: RecordValue, of field: String, _ type: String, record name: String
    ) -> [UInt8] {
        prefix(type, field) + ordered(value) + [0] + Array(name.utf8)
    }

    /// The range of the records, of all types, whose parent has this name.
    package static func children(of name: String) -> IndexRange {
        value(.string(name), of: parentField, noType)
    }

    /// A record's place among those with the same parent.
    package static func child(of parent: String, record name: String) -> [UInt8] {
        place(.string(parent), of: parentField, noType, record: name)
    }

    /// The range of the records, of all types, in this share of a record (not of a whole zone).
    package static func members(of share: RandomIdentifier) -> IndexRange {
        value(.bytes(share.bytes), of: shareField, noType)
    }

    /// A record's place among those that belong to the same share.
    package static func member(of share: RandomIdentifier, record name: String) -> [UInt8] {
        place(.bytes(share.bytes), of: shareField, noType, record: name)
    }

    // No type has an empty name.
    private static let noType = ""
    private static let parentField = "___parent"
    private static let shareField = "___share"

    /// The first place after all places with this prefix.
    ///
    /// The last byte cannot be 255: it is the zero that ends a field.
    package static func after(_ prefix: [UInt8]) -> [UInt8] {
        Array(prefix.dropLast()) + [(prefix.last ?? 0) &+ 1]
    }

    /// The first place after all places of a value; `start` is the prefix of these places.
    package static func end(of start: [UInt8]) -> [UInt8] { start + [1] }

    /// The first place after all values with this prefix; if no value sorts after them, the end of
    /// `all`, the field's range.
    package static func end(ofPrefix start: [UInt8], in all: IndexRange) -> [UInt8] {
        guard start.count > all.lower.count, let last = start.lastIndex(where: { $0 != 255 }),
            last >= all.lower.count
        else { return all.upper }
        return start[..<last] + [start[last] + 1]
    }

    package static func prefix(_ type: String, _ field: String) -> [UInt8] {
        Array(type.utf8) + [0] + Array(field.utf8) + [0]
    }

    /// A value's bytes, which sort as values of its kind do.
    package static func ordered(_ value: RecordValue) -> [UInt8] {
        switch value {
        case .string(let text): escaped(Array(text.utf8.prefix(valueByteLimit)))
        case .bytes(let bytes): escaped(Array(bytes.prefix(valueByteLimit)))
        case .reference(let reference):
            escaped(Array(reference.record.name.utf8.prefix(valueByteLimit)))
        case .int64(let number), .timestamp(let number):
            bigEndian(UInt64(bitPattern: number) ^ 1 << 63)
        case .double(let number): bigEndian(ordered(number))
        case .location, .asset, .list: []
        }
    }

    /// Bits that sort as doubles do; negative zero equals zero.
    private static func ordered(_ number: Double) -> UInt64 {
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits >> 63 == 0 ? bits ^ 1 << 63 : ~bits
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        escaped((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 == 0 ? [0, 255] : [$0] }
    }

    /// The name of the record at a place.
    package static func name(in place: [UInt8]) -> String? {
        // The name comes after a zero byte, and contains none.
        guard let end = place.lastIndex(of: 0) else { return nil }
        return String(validating: place[(end + 1)...], as: UTF8.self)
    }
}
