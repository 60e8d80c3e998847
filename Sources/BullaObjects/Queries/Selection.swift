/// What a query selects: which objects, in what order, and how many.
package struct Selection: Sendable {
    package var filter: Filter = .constant(true)
    package var order = SelectionOrder.none
    /// The maximum number of objects to select.
    package var limit: Int?
    /// If not nil, only objects after this position are selected, and `order` must not be empty.
    package var after: ObjectPosition?

    package init(
        filter: Filter = .constant(true), order: SelectionOrder = .none, limit: Int? = nil
    ) {
        (self.filter, self.order, self.limit) = (filter, order, limit)
    }

    /// The conditions whose conjunction is the filter.
    package var conditions: [Filter] { filter.conditions }
}
