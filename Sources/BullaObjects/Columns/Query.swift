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
    /// The object that those which are asked for come after.
    package private(set) var after:
        (@Sendable (ObjectBindings) throws(ObjectError) -> ObjectPosition)?

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

    /// A page of them: the first so many, in the query's order.
    ///
    /// A query that has no order gets that of the keys. The next page is the one after the last
    /// object of this.
    public func page(of count: Int) -> Query {
        var query = limit(count)
        if order.isEmpty { query.order = Root.keyOrder }
        return query
    }

    /// The page that comes after an object, in the query's order.
    ///
    /// What counts is what the object has here, not what has become of it: so pages go on where
    /// they were, though it has changed or gone. A page of another snapshot shows what is there
    /// then.
    ///
    /// - Complexity: of an order that an index has, that of the page's objects; otherwise that of
    ///   all objects that the query asks for.
    public func page(of count: Int, after object: Root) -> Query {
        page(of: count) { bindings throws(ObjectError) in
            var draft = ObjectDraft(try bindings.model(Root.modelName), bindings)
            try object.write(to: &draft)
            return try draft.position()
        }
    }

    /// The page that comes after an object which is not opened, in the query's order.
    ///
    /// - Complexity: as of one that is opened.
    public func page(of count: Int, after object: SealedObject<Root>) -> Query
    where Root: SealedModel {
        page(of: count) { _ in object.position }
    }

    private func page(
        of count: Int,
        after position: @escaping @Sendable (ObjectBindings) throws(ObjectError) -> ObjectPosition
    ) -> Query {
        var query = page(of: count)
        query.after = position
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
        var selection = Selection(
            filter: filter, order: SelectionOrder(items: items), limit: limit)
        selection.after = try after?(bindings)
        return selection
    }
}

extension Model {
    /// The order of the keys.
    fileprivate static var keyOrder: [(path: ColumnPath, isDescending: Bool)] {
        definition.key.map { ordinal in
            (ColumnPath(.model(modelName), [.property(ordinal)]), false)
        }
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
