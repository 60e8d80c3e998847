/// What a query asks for: which objects, in what order, and how many.
package struct Selection: Sendable {
    package var filter: Filter = .constant(true)
    package var order = SelectionOrder.none
    /// At most so many.
    package var limit: Int?
    /// Only those that come after this one in the order, which is not that of a tree by chance.
    package var after: ObjectPosition?

    package init(
        filter: Filter = .constant(true), order: SelectionOrder = .none, limit: Int? = nil
    ) {
        (self.filter, self.order, self.limit) = (filter, order, limit)
    }

    /// Conditions that hold all together.
    package var conditions: [Filter] { filter.conditions }
}
