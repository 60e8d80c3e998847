package import BullaMemory

/// Consecutive values, each preceded by its length: the encoding of lists, sets and dictionaries.
///
/// The elements of a set are in ascending order, and so are the keys of a dictionary. Each value of
/// a dictionary follows its key. The length is an ``OrderedInteger``.
package struct ElementList {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ element: ByteView) {
        OrderedInteger(UInt64(element.byteCount)).append(to: &bytes)
        bytes.append(element)
    }

    package mutating func append(_ element: Scalar) { element.bytes.withView { append($0) } }
}

/// Reads the elements of an ``ElementList``.
///
/// The bytes can be anything: the first invalid element ends the list, which then counts as
/// damaged.
package struct ElementReader {
    private let list: ByteView
    private var offset = 0
    package private(set) var isDamaged = false

    package init(_ list: ByteView) { self.list = list }

    /// The next element, or `nil` at the end.
    package mutating func next() -> ByteView? {
        guard offset < list.byteCount, !isDamaged else { return nil }
        guard let head = OrderedInteger.byteCount(first: list.load(UInt8.self, at: offset)),
            let length = OrderedInteger(list.slice(offset, head))?.unsigned,
            let count = Int(exactly: length), list.contains(offset + head, count)
        else {
            isDamaged = true
            return nil
        }
        defer { offset += head + count }
        return list.slice(offset + head, count)
    }

    /// How many elements are left, or `nil` if the list is damaged.
    ///
    /// - Complexity: one read of each element's length.
    package consuming func count() -> Int? {
        var count = 0
        while next() != nil { count += 1 }
        return isDamaged ? nil : count
    }
}
