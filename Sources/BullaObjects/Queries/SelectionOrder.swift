/// The order of objects: by one property, then by the next, and finally by their keys, in the
/// direction of the last property.
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

    /// Whether the keys of an access path have this order, and whether they have to be read
    /// backwards.
    package func isKept(by access: AccessPath) -> (isKept: Bool, isDescending: Bool) {
        guard access.bounds.count == 1, !access.repeatsObjects, let last = items.last else {
            return (items.isEmpty, false)
        }
        // If a part has the same value in all entries that will be read, it does not affect the
        // order.
        let fixed = access.parts.prefix(access.fixedCount).map { Path($0.property) }
        let open = items.filter { !fixed.contains($0.path) }
        let rest = access.parts.dropFirst(access.fixedCount).prefix(open.count)
        // The object's key comes right after these parts only if the index has no further parts.
        let isWhole =
            access.index == nil || access.parts.count == access.fixedCount + open.count
        let isKept =
            isWhole && rest.count == open.count
            && zip(rest, open).allSatisfy { part, item in
                // An index truncates texts, so it sorts them only by their beginnings.
                item.path == Path(part.property) && item.isDescending == last.isDescending
                    && (!part.isText || access.index == nil)
            }
        return (isKept, last.isDescending)
    }
}
