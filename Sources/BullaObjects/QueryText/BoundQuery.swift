internal import Bulla
internal import BullaMemory

/// A text query whose names are resolved against a schema.
package struct BoundQuery {
    let table: ObjectTable
    var selection: Selection
    /// The columns to read from each object.
    let columns: [QueryColumn]
    private let tables: ObjectTables

    /// - Throws: `invalidQuery`; `invalidModel` if the schema has no such model.
    package init(_ query: TextQuery, _ bindings: _ObjectBindings) throws(ObjectError) {
        table = try bindings.table(named: query.model)
        tables = bindings.tables
        let scope = QueryScope(table.model, bindings)
        selection = Selection(limit: query.limit.map { max($0, 0) })
        if let text = query.condition {
            selection.filter = try Self.reading("condition") { () throws(QueryFault) in
                try ConditionBinder(scope).filter(ConditionParser.condition(of: text))
            }
        }
        if let text = query.order {
            selection.order.items = try Self.reading("order") { () throws(QueryFault) in
                try ConditionParser.list(of: text).map { item throws(QueryFault) in
                    try Self.orderItem(item.path, item.isDescending, scope)
                }
            }
        }
        guard let text = query.properties else {
            columns = table.model.properties.filter { !$0.isRetired }.map { QueryColumn($0) }
            return
        }
        columns = try Self.reading("list of properties") { () throws(QueryFault) in
            try ConditionParser.list(of: text).map { item throws(QueryFault) in
                guard !item.isDescending else {
                    throw QueryFault(item.path.offset, "only an order can have a minus")
                }
                return try QueryColumn(item.path, scope)
            }
        }
    }

    /// How many objects the query selects.
    func count<Source: ObjectReader & ~Copyable>(
        _ source: borrowing Source
    ) throws(ObjectError) -> Int {
        try SelectionRun(selection, of: table, in: tables).count(source)
    }

    /// Lends the selected objects, in order, until `body` returns `.stop`.
    func forEach<Source: ObjectReader & ~Copyable>(
        _ source: borrowing Source, _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try SelectionRun(selection, of: table, in: tables).forEach(source, body)
    }

    /// The value of a column for an object; null if an object on the path is missing.
    func value<Source: ObjectReader & ~Copyable>(
        _ column: QueryColumn, of object: ObjectBytes, _ source: borrowing Source
    ) throws(ObjectError) -> ObjectValue {
        let (coding, property) = (ValueCoding(schema: tables.schema), column.property)
        guard column.path != Path(property.number) else {
            return try table.layout.withValue(property.number, of: object) {
                bytes throws(ObjectError) in
                try coding.value(bytes, of: property)
            }
        }
        let bytes = try FilterRun(.constant(true), tables).value(
            column.path, of: object, in: table, source)
        return try bytes.lend { view throws(ObjectError) in
            try coding.value(view, of: property)
        }
    }

    /// The line of JSON for an object.
    func line<Source: ObjectReader & ~Copyable>(
        of object: ObjectBytes, _ lines: ObjectLines, _ source: borrowing Source
    ) throws(ObjectError) -> [UInt8] {
        var line = [UInt8(ascii: "{")]
        for (index, column) in columns.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            JSONString.append(column.name, to: &line)
            line.append(UInt8(ascii: ":"))
            let value = try value(column, of: object, source)
            try lines.append(value, column.property, column.place, to: &line)
        }
        line.append(UInt8(ascii: "}"))
        return line
    }

    private static func orderItem(
        _ path: PathSyntax, _ isDescending: Bool, _ scope: QueryScope
    ) throws(QueryFault) -> SelectionOrder.Item {
        let way = try scope.way(path)
        guard case .scalar = try way.single().kind, path.key == nil else {
            throw way.fault("has no order")
        }
        return SelectionOrder.Item(path: way.path, isDescending: isDescending)
    }

    private static func reading<R>(
        _ part: String, _ body: () throws(QueryFault) -> R
    ) throws(ObjectError) -> R {
        do throws(QueryFault) {
            return try body()
        } catch {
            throw error.error(in: part)
        }
    }
}

/// A property that a query selects by name, possibly along links.
struct QueryColumn {
    /// The name as the query has it.
    let name: String
    /// The name in messages.
    let place: String
    let property: PropertySchema
    let path: Path

    /// A property of the model itself.
    init(_ property: PropertySchema) {
        (name, place, self.property) = (property.name, property.name, property)
        path = Path(property.number)
    }

    init(_ path: PathSyntax, _ scope: QueryScope) throws(QueryFault) {
        let way = try scope.way(path)
        guard case .property(let property) = way.end, way.rest.isEmpty, path.key == nil else {
            throw way.fault("has many values, of which none can be selected")
        }
        name = path.names.map(\.text).joined(separator: ".")
        (place, self.property, self.path) = (way.name, property, way.path)
    }
}
