/// Which objects of a model are asked for, in what order, and how many.
///
/// It is a value: it can be kept, changed and used again, and reads nothing by itself.
public struct Query<Root: Model>: Sendable {
    /// From which end an order begins.
    public enum Direction: Sendable {
        /// The least first; nil before all.
        case ascending
        /// The greatest first; nil after all.
        case descending
    }

    package var filter: FilterTree<ColumnPath> = .constant(true)
    package var order: [(path: ColumnPath, isDescending: Bool)] = []
    package var limit: Int?

    package init() {}

    /// Those of them that pass, too.
    public func `where`(_ condition: (Root.Columns) -> Condition<Root>) -> Query {
        var query = self
        query.filter = .all([filter, condition(Root.columns).filter])
        return query
    }

    /// The same in the order of a property, and of those that were named before it.
    ///
    /// Objects whose values are the same come in the order of their keys, from the same end as the
    /// last property.
    public func sorted<Value: PropertyValue>(
        by column: KeyPath<Root.Columns, Column<Root, Value>>, _ direction: Direction = .ascending
    ) -> Query {
        var query = self
        query.order.append((Root.columns[keyPath: column].path, direction == .descending))
        return query
    }

    /// The first of them alone: so many.
    ///
    /// Where no order is asked for, it is not said which are the first.
    public func limit(_ count: Int) -> Query {
        var query = self
        query.limit = min(limit ?? .max, max(count, 0))
        return query
    }

    package func bound(to bindings: ObjectBindings) throws(ObjectError) -> Selection {
        var items: [SelectionOrder.Item] = []
        for item in order {
            items.append(
                SelectionOrder.Item(
                    path: try item.path.bound(to: bindings), isDescending: item.isDescending))
        }
        let filter = try filter.map { path throws(ObjectError) in try path.bound(to: bindings) }
        return Selection(filter: filter, order: SelectionOrder(items: items), limit: limit)
    }
}

extension Model {
    /// All objects of the model.
    public static var all: Query<Self> { Query() }

    /// Those that pass.
    public static func `where`(
        _ condition: (Columns) -> Condition<Self>
    ) -> Query<Self> {
        all.where(condition)
    }
}
