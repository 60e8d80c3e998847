public import Bulla

/// A description of which objects of a model to read, in what order, and how many.
///
/// A query is a value: you can keep it, change it and use it again. By itself it reads nothing.
public struct Query<Root: Model>: Sendable {
    package var filter: FilterTree<ColumnPath> = .constant(true)
    package var order: [(path: ColumnPath, isDescending: Bool)] = []
    package var limit: Int?
    /// The object after which the results begin.
    package private(set) var after:
        (@Sendable (_ObjectBindings) throws(ObjectError) -> ObjectPosition)?

    package init() {}

    /// The same query with one more condition, which objects must also meet.
    public func `where`(_ condition: (Root.Columns) -> Condition<Root>) -> Query {
        var query = self
        query.filter = .all([filter, condition(Root.columns).filter])
        return query
    }

    /// The same query, with one more property to sort by; the properties of earlier calls come
    /// first.
    ///
    /// Nil comes before all values in an ascending order, and after them in a descending one.
    /// Objects with equal values are sorted by their keys, in the direction of the last property.
    public func sorted<Value: PropertyValue>(
        by column: KeyPath<Root.Columns, Column<Root, Value>>, order: ScanOrder = .ascending
    ) -> Query {
        var query = self
        query.order.append((Root.columns[keyPath: column].path, order == .descending))
        return query
    }

    /// The same query, limited to the first `count` objects.
    ///
    /// If the query has no order, these can be any of its objects.
    public func limit(_ count: Int) -> Query {
        var query = self
        query.limit = min(limit ?? .max, max(count, 0))
        return query
    }

    /// The first page: the first `count` objects, in the query's order.
    ///
    /// A query without an order is sorted by key. For the next page, pass the last object of this
    /// page to ``page(of:after:)``.
    public func page(of count: Int) -> Query {
        var query = limit(count)
        if order.isEmpty { query.order = Root.keyOrder }
        return query
    }

    /// The page that follows an object, in the query's order.
    ///
    /// Bulla uses the values in the copy that you pass, not the stored object. So paging continues
    /// at the right place, even if the object has been changed or deleted. A page shows the objects
    /// as they are in the snapshot that fetches it.
    ///
    /// - Complexity: if the model's key or an index has the query's order, one read of each object
    ///   from `object` to the page's end, including those that the filter rejects; otherwise one
    ///   read of each object that the filter tests.
    public func page(of count: Int, after object: Root) -> Query {
        page(of: count) { bindings throws(ObjectError) in
            var draft = ObjectDraft(try bindings.model(Root.modelName), bindings)
            try object.write(to: &draft)
            return try draft.position()
        }
    }

    /// The page that follows an unopened object, in the query's order.
    ///
    /// - Complexity: as for an opened object.
    public func page(of count: Int, after object: SealedObject<Root>) -> Query
    where Root: SealedModel {
        page(of: count) { _ in object.position }
    }

    private func page(
        of count: Int,
        after position: @escaping @Sendable (_ObjectBindings) throws(ObjectError) -> ObjectPosition
    ) -> Query {
        var query = page(of: count)
        query.after = position
        return query
    }

    package func bound(to bindings: _ObjectBindings) throws(ObjectError) -> Selection {
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
    /// The order of the keys: by each part in turn, ascending.
    fileprivate static var keyOrder: [(path: ColumnPath, isDescending: Bool)] {
        modelDefinition.key.map { ordinal in
            (ColumnPath(.model(modelName), [.property(ordinal)]), false)
        }
    }
}

extension Model {
    /// All objects of the model.
    public static var all: Query<Self> { Query() }

    /// The model's objects that meet a condition.
    public static func `where`(
        _ condition: (Columns) -> Condition<Self>
    ) -> Query<Self> {
        all.where(condition)
    }
}
