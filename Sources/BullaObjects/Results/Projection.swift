internal import Bulla

/// Some properties of the objects that a query selects; fetching them reads no other properties.
///
/// ```swift
/// let pairs = try snapshot.fetch(Employee.all.select { ($0.name, $0.company.name) })
/// ```
public struct Projection<Root: Model, Row: Sendable>: Sendable {
    /// Which objects, in what order, and how many.
    public let query: Query<Root>
    fileprivate let paths: [ColumnPath]
    fileprivate let row: @Sendable (ProjectedValues) throws(ObjectError) -> Row

    fileprivate init(
        _ query: Query<Root>, _ paths: [ColumnPath],
        _ row: @escaping @Sendable (ProjectedValues) throws(ObjectError) -> Row
    ) {
        (self.query, self.paths, self.row) = (query, paths, row)
    }
}

// One overload for each number of columns, because the Swift 6.3 compiler fails on a stored pack of
// columns.
extension Query {
    /// One property of the selected objects.
    public func select<A: PropertyValue>(
        _ column: (Root.Columns) -> Column<Root, A>
    ) -> Projection<Root, A> {
        Projection(self, [column(Root.columns).path]) { values throws(ObjectError) in
            try values.read(0)
        }
    }

    /// Two properties of the selected objects.
    public func select<A: PropertyValue, B: PropertyValue>(
        _ columns: (Root.Columns) -> (Column<Root, A>, Column<Root, B>)
    ) -> Projection<Root, (A, B)> {
        let (a, b) = columns(Root.columns)
        return Projection(self, [a.path, b.path]) { values throws(ObjectError) in
            (try values.read(0), try values.read(1))
        }
    }

    /// Three properties of the selected objects.
    public func select<A: PropertyValue, B: PropertyValue, C: PropertyValue>(
        _ columns: (Root.Columns) -> (Column<Root, A>, Column<Root, B>, Column<Root, C>)
    ) -> Projection<Root, (A, B, C)> {
        let (a, b, c) = columns(Root.columns)
        return Projection(self, [a.path, b.path, c.path]) { values throws(ObjectError) in
            (try values.read(0), try values.read(1), try values.read(2))
        }
    }

    /// Four properties of the selected objects.
    public func select<A: PropertyValue, B: PropertyValue, C: PropertyValue, D: PropertyValue>(
        _ columns: (Root.Columns) -> (
            Column<Root, A>, Column<Root, B>, Column<Root, C>, Column<Root, D>
        )
    ) -> Projection<Root, (A, B, C, D)> {
        let (a, b, c, d) = columns(Root.columns)
        return Projection(self, [a.path, b.path, c.path, d.path]) { values throws(ObjectError) in
            (try values.read(0), try values.read(1), try values.read(2), try values.read(3))
        }
    }
}

extension ObjectReader where Self: ~Copyable {
    /// The values of the properties, for each object that the query selects, in its order.
    ///
    /// - Throws: as when fetching the objects.
    /// - Complexity: one read of these properties in each object; one more lookup for each link on
    ///   the way to them.
    public func fetch<M: Model, Row>(
        _ projection: Projection<M, Row>
    ) throws(ObjectError) -> [Row] {
        let ways = try projection.paths.map { path throws(ObjectError) in
            try path.bound(to: bindings)
        }
        let run = FilterRun(.constant(true), bindings.tables)
        var rows: [Row] = []
        try forEachObject(projection.query) { object, binding throws(ObjectError) in
            guard let table = binding.table else { return .stop }
            var values = ProjectedValues(ways, table, bindings)
            for way in ways {
                values.bytes.append(try run.value(way, of: object, in: table, self))
            }
            rows.append(try projection.row(values))
            return .next
        }
        return rows
    }
}

/// The values of a projection's properties in one object.
struct ProjectedValues {
    fileprivate var bytes: [[UInt8]?] = []
    private let ways: [Path]
    private let table: ObjectTable
    private let bindings: _ObjectBindings

    fileprivate init(_ ways: [Path], _ table: ObjectTable, _ bindings: _ObjectBindings) {
        (self.ways, self.table, self.bindings) = (ways, table, bindings)
    }

    func read<Value: PropertyValue>(_ place: Int) throws(ObjectError) -> Value {
        try FilterRun.value(of: bytes[place], ways[place], table, bindings)
    }
}
