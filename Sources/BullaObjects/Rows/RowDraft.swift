package import BullaMemory

/// A row under construction.
///
/// Values can be set in any order. One draft makes many rows, and reuses its memory.
package struct RowDraft {
    /// The maximum number of bytes that a row can have: a store does not lend longer values.
    package static let byteLimit = 16 << 20

    private var values: [UInt8] = []
    /// Where the value of each property is in `values`; nil for one that was not set.
    private var places: [Range<Int>?] = []

    package init() {}

    /// Begins a row with this number of properties, none of them present.
    package mutating func begin(count: Int) {
        precondition(count <= Row.propertyLimit, "a model has a limited number of properties")
        values.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: repeatElement(nil, count: count))
    }

    /// Lets `append` write the value of a property, whose number must be below the count.
    package mutating func set<E: Error>(
        _ number: Int, _ append: (inout [UInt8]) throws(E) -> Void
    ) throws(E) {
        let start = values.count
        try append(&values)
        places[number] = start..<values.count
    }

    package mutating func set(_ number: Int, _ value: ByteView) { set(number) { $0.append(value) } }

    /// The bytes of the row; `nil` if it would be too long.
    package func bytes() -> [UInt8]? {
        let present = places.compactMap { $0 }
        let total = present.reduce(0) { $0 + $1.count }
        guard total <= Self.byteLimit else { return nil }
        let width = total <= UInt8.max ? 1 : total <= UInt16.max ? 2 : 4
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            Row.headerByteCount + (places.count + 7) / 8 + width * present.count + total)
        bytes.append(Row.version << 4 | UInt8(width))
        Self.append(places.count, width: 2, to: &bytes)
        for first in stride(from: 0, to: places.count, by: 8) {
            var bits: UInt8 = 0
            for number in first..<min(first + 8, places.count) where places[number] != nil {
                bits |= 1 << UInt8(number - first)
            }
            bytes.append(bits)
        }
        var end = 0
        for place in present {
            end += place.count
            Self.append(end, width: width, to: &bytes)
        }
        for place in present { bytes.append(contentsOf: values[place]) }
        return bytes.count <= Self.byteLimit ? bytes : nil
    }

    private static func append(_ number: Int, width: Int, to bytes: inout [UInt8]) {
        for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}

extension RowDraft {
    /// Begins a row with the values of an object, each replaced by what `body` returns for it;
    /// leaves out the values of the object's key.
    ///
    /// Properties that the layout does not know, because they are of a newer schema, are copied
    /// unchanged. A property that the row's writer did not know is written with the value that
    /// readers see for it.
    ///
    /// - Parameter body: gets a property's number and bytes, and returns the bytes to write; `nil`
    ///   if the property is to be nil.
    package mutating func begin(
        with object: ObjectBytes, _ layout: ObjectLayout,
        _ body: (Int, ByteView) throws(ObjectError) -> [UInt8]?
    ) throws(ObjectError) {
        let count = max(layout.count, object.row.count)
        begin(count: count)
        for number in 0..<count {
            guard number < layout.count else {
                if case .value(let value) = object.row[number] { set(number, value) }
                continue
            }
            guard !layout.isOfKey(number) else { continue }
            try layout.withValue(number, of: object) { value throws(ObjectError) in
                guard let value, let bytes = try body(number, value) else { return }
                bytes.withView { bytes in
                    if !layout.isOmitted(bytes, number) { set(number, bytes) }
                }
            }
        }
    }

    /// The bytes of the row.
    ///
    /// - Throws: `tooLarge`.
    package func bytes(of layout: ObjectLayout) throws(ObjectError) -> [UInt8] {
        guard let bytes = bytes() else {
            throw ObjectError(.tooLarge, "write \(layout.name): its row would have over 16 MiB")
        }
        return bytes
    }
}
