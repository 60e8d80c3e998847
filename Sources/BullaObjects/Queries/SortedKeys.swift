internal import BullaMemory

/// Keys of objects in the order of some of their values, of which only the first are kept.
///
/// Nil comes before all values. Objects whose values are the same come in the order of their keys,
/// or backwards where the last of the values is sorted so.
package struct SortedKeys {
    private struct Entry {
        let values: [[UInt8]?]
        let key: [UInt8]
    }

    private let order: SelectionOrder
    private let limit: Int
    private var entries: [Entry] = []
    /// None that comes before it is kept, nor itself.
    private var first: Entry?

    /// - Parameter limit: so many are kept; `nil`: all.
    package init(_ order: SelectionOrder, limit: Int?) {
        (self.order, self.limit) = (order, limit ?? .max)
    }

    /// Leaves out what does not come after the object of a key that has these values.
    package mutating func begin(after key: [UInt8], _ values: [[UInt8]?]) {
        first = Entry(values: values, key: key)
    }

    package mutating func add(_ key: [UInt8], sortedBy values: [[UInt8]?]) {
        let entry = Entry(values: values, key: key)
        if let first, !isBefore(first, entry) { return }
        entries.append(entry)
        // Sorted once for as many as are kept: each object costs a few comparisons.
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
