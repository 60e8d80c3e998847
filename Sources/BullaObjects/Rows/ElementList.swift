package import BullaMemory

/// Values one after the other, each with its length before it: lists, sets and dictionaries.
///
/// A set's elements ascend, and so do the keys of a dictionary, each of which is followed by its
/// value. The length is an ``OrderedInteger``.
package struct ElementList {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ element: ByteView) {
        OrderedInteger(UInt64(element.byteCount)).append(to: &bytes)
        bytes.append(element)
    }

    package mutating func append(_ element: Scalar) { element.bytes.withView { append($0) } }
}

/// Takes such a list apart again.
///
/// Its bytes may be anything: what is no element ends it, and then it is damaged.
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

    /// How many elements are left, or `nil` where the list is damaged.
    ///
    /// - Complexity: a look at each.
    package consuming func count() -> Int? {
        var count = 0
        while next() != nil { count += 1 }
        return isDamaged ? nil : count
    }
}
