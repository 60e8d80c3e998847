public import Bulla
internal import BullaMemory

/// Reading objects without their models.
extension ObjectReader where Self: ~Copyable {
    /// A description of what the store holds.
    public var schema: DatabaseSchema { bindings.tables.schema }

    /// The properties of the object with a key, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - model: the name of the object's model.
    ///   - key: the parts of the object's key.
    /// - Throws: `invalidModel` if the schema has no such model; `invalidKey` if the parts do not
    ///   have the types of the model's key; `damaged`, `store`.
    /// - Complexity: one lookup.
    public func fetch(_ model: String, key: [Scalar]) throws(ObjectError) -> ObjectFields? {
        let table = try bindings.table(named: model)
        let key = try table.key(of: key)
        return try key.withView { key throws(ObjectError) in
            try withObject(key, in: table) { object throws(ObjectError) in
                try fields(of: object, in: table)
            }
        }
    }

    /// The objects that a query selects, in its order.
    ///
    /// - Throws: `invalidQuery` if the query cannot be read, or names something that the schema
    ///   does not have; `invalidModel`, `damaged`, `store`.
    public func fetch(_ query: TextQuery) throws(ObjectError) -> [ObjectFields] {
        var objects: [ObjectFields] = []
        try forEachFields(query) { fields in
            objects.append(fields)
            return .next
        }
        return objects
    }

    /// Passes the objects that a query selects to `body`, in the query's order, until `body`
    /// returns `.stop`.
    ///
    /// Only one object is in memory at a time. But if no index has the query's order, the keys of
    /// all the selected objects are in memory, too.
    ///
    /// - Throws: what `body` throws; otherwise as ``fetch(_:)-(TextQuery)``.
    public func forEach(
        _ query: TextQuery, _ body: (ObjectFields) throws -> ScanStep
    ) throws {
        var failure = BodyFailure()
        try forEachFields(query) { fields in failure.step { try body(fields) } }
        try failure.rethrow()
    }

    private func forEachFields(
        _ query: TextQuery, _ body: (ObjectFields) -> ScanStep
    ) throws(ObjectError) {
        let query = try BoundQuery(query, bindings)
        try query.forEach(self) { object throws(ObjectError) in
            var fields = ObjectFields()
            for column in query.columns {
                fields[column.name] = try query.value(column, of: object, self)
            }
            return body(fields)
        }
    }

    /// How many objects a query selects.
    ///
    /// - Throws: as ``fetch(_:)-(TextQuery)``.
    /// - Complexity: if the query selects all objects of a model, the cost of counting a tree's
    ///   entries. If an index answers the whole condition, one read of each matching entry.
    ///   Otherwise, one read of each object that may meet the condition.
    public func count(of query: TextQuery) throws(ObjectError) -> Int {
        var query = try BoundQuery(query, bindings)
        if query.selection.filter == .constant(true), query.selection.limit == nil {
            return try _count(of: query.table.number)
        }
        query.selection.order = .none
        return try query.count(self)
    }

    /// How Bulla would answer a query now: which indexes it would use, and why.
    ///
    /// - Throws: as ``fetch(_:)-(TextQuery)``.
    public func explain(_ query: TextQuery) throws(ObjectError) -> String {
        let query = try BoundQuery(query, bindings)
        let plan = try Planner(query.selection, of: query.table).plan(self)
        return plan.explanation.joined(separator: "\n")
    }

    /// Passes one line of JSON to `body` for each object that a query selects, until `body` returns
    /// `.stop`.
    ///
    /// - Parameters:
    ///   - query: selects the objects.
    ///   - namesModel: whether each line names the model, as ``ObjectImport`` expects for lines of
    ///     several models.
    ///   - body: gets a line without a newline at its end.
    /// - Throws: what `body` throws; otherwise as ``fetch(_:)-(TextQuery)``.
    public func forEachLine(
        _ query: TextQuery, namesModel: Bool = false, _ body: ([UInt8]) throws -> ScanStep
    ) throws {
        let (lines, query) = (ObjectLines(schema), try BoundQuery(query, bindings))
        let name = query.table.model.name
        var failure = BodyFailure()
        try query.forEach(self) { object throws(ObjectError) in
            let line = try query.line(of: object, lines, self)
            return failure.step { try body(namesModel ? ObjectLines.naming(name, line) : line) }
        }
        try failure.rethrow()
    }

    /// Passes the columns of each selected object to `body`, as values and as JSON.
    package func forEachRow(
        _ query: TextQuery, _ body: ([(value: ObjectValue, json: [UInt8])]) throws -> ScanStep
    ) throws {
        let (lines, query) = (ObjectLines(schema), try BoundQuery(query, bindings))
        var failure = BodyFailure()
        try query.forEach(self) { object throws(ObjectError) in
            var row: [(value: ObjectValue, json: [UInt8])] = []
            for column in query.columns {
                var json: [UInt8] = []
                let value = try query.value(column, of: object, self)
                try lines.append(value, column.property, column.place, to: &json)
                row.append((value, json))
            }
            return failure.step { try body(row) }
        }
        try failure.rethrow()
    }

    /// The names of the columns that a query reads.
    package func columnNames(of query: TextQuery) throws(ObjectError) -> [String] {
        try BoundQuery(query, bindings).columns.map(\.name)
    }

    func fields(
        of object: ObjectBytes, in table: ObjectTable
    ) throws(ObjectError) -> ObjectFields {
        ObjectFields(
            try ValueCoding(schema: schema).fields(object, table.model.properties, table.layout))
    }
}
