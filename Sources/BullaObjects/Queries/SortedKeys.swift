internal import BullaMemory

/// Keys of objects, sorted by some of the objects' values; only the first ones are kept.
///
/// Nil counts as less than every value. Objects with equal values are sorted by their keys, in the
/// direction of the order's last item.
package struct SortedKeys {
    private struct Entry {
        let values: [[UInt8]?]
        let key: [UInt8]
    }

    private let order: SelectionOrder
    private let limit: Int
    private var entries: [Entry] = []
    /// Only entries after this one are kept.
    private var first: Entry?

    /// - Parameter limit: how many keys are kept; `nil` keeps all.
    package init(_ order: SelectionOrder, limit: Int?) {
        (self.order, self.limit) = (order, limit ?? .max)
    }

    /// Makes `add` drop the object with this key and these values, and all objects before it.
    package mutating func begin(after key: [UInt8], _ values: [[UInt8]?]) {
        first = Entry(values: values, key: key)
    }

    package mutating func add(_ key: [UInt8], sortedBy values: [[UInt8]?]) {
        let entry = Entry(values: values, key: key)
        if let first, !isBefore(first, entry) { return }
        entries.append(entry)
        // Do not sort before the entries exceed twice the limit, so that each entry costs few
        // comparisons.
        if limit < Int.max / 4, entries.count >= 2 * limit + 64 { cut() }
    }

    package consuming func keys() -> [[UInt8]] {
        cut()
        return entries.map(\.key)
    }

    private mutating func cut() {
        entries.sort(by: isBefore)
        if entries.count > limit { entries.removeSubrange(limit...) }
    }

    private func isBefore(_ one: Entry, _ other: Entry) -> Bool {
        for (index, item) in order.items.enumerated() {
            let order = Self.compare(one.values[index], other.values[index])
            if order != 0 { return (order < 0) != item.isDescending }
        }
        let byKey = Self.compare(one.key, other.key)
        return byKey != 0 && (byKey < 0) != (order.items.last?.isDescending ?? false)
    }

    private static func compare(_ one: [UInt8]?, _ other: [UInt8]?) -> Int {
        guard let one, let other else { return (one == nil ? 0 : 1) - (other == nil ? 0 : 1) }
        return one.withView { one in other.withView { one.compare($0) } }
    }
}
