/// In what order objects come: by one property, then by the next; last by their keys, backwards
/// where the last property is.
package struct SelectionOrder: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let path: Path
        package let isDescending: Bool

        package init(path: Path, isDescending: Bool) {
            (self.path, self.isDescending) = (path, isDescending)
        }
    }

    package var items: [Item]

    package init(items: [Item]) { self.items = items }

    package static let none = SelectionOrder(items: [])

    /// Whether the keys of an access path have this order, read forwards or, where the second is
    /// true, backwards.
    package func isKept(by access: AccessPath) -> (isKept: Bool, isDescending: Bool) {
        guard access.bounds.count == 1, !access.repeatsObjects, let last = items.last else {
            return (items.isEmpty, false)
        }
        // What has one value in all of it sorts nothing.
        let fixed = access.parts.prefix(access.fixedCount).map { Path($0.property) }
        let open = items.filter { !fixed.contains($0.path) }
        let rest = access.parts.dropFirst(access.fixedCount).prefix(open.count)
        // Behind them, an entry has the object's key: an index that has more sorts by that first.
        let isWhole =
            access.index == nil || access.parts.count == access.fixedCount + open.count
        let isKept =
            isWhole && rest.count == open.count
            && zip(rest, open).allSatisfy { part, item in
                // Text that was cut sorts as its beginning does.
                item.path == Path(part.property) && item.isDescending == last.isDescending
                    && (!part.isText || access.index == nil)
            }
        return (isKept, last.isDescending)
    }
}
