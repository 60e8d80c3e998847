public import Bulla
internal import BullaMemory

/// Objects in a form that needs no model.
extension ObjectReading where Self: ~Copyable {
    /// What the store holds, described.
    public var schema: DatabaseSchema { bindings.tables.schema }

    /// The properties of the object of a key, or `nil` where there is none.
    ///
    /// - Parameters:
    ///   - model: the name of its model.
    ///   - key: the parts of its key.
    /// - Throws: `invalidModel` where the schema has no such model; `invalidKey` where the model
    ///   has other keys; `damaged`, `store`.
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

    /// The objects that a query asks for, in its order.
    ///
    /// - Throws: `invalidQuery` where the query says nothing, or what the schema does not have;
    ///   `invalidModel`, `damaged`, `store`.
    public func fetch(_ query: TextQuery) throws(ObjectError) -> [ObjectFields] {
        var objects: [ObjectFields] = []
        try forEach(query) { object in
            objects.append(object)
            return .next
        }
        return objects
    }

    /// Hands on the objects that a query asks for, in its order, until `body` stops.
    ///
    /// One object is in memory at a time, and of a query whose order no index has, all keys.
    ///
    /// - Throws: what `body` throws; as ``fetch(_:)-(TextQuery)``.
    public func forEach(
        _ query: TextQuery, _ body: (ObjectFields) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let query = try BoundQuery(query, bindings)
        try query.forEach(self) { object throws(ObjectError) in
            var fields = ObjectFields()
            for column in query.columns {
                fields[column.name] = try query.value(column, of: object, self)
            }
            return try body(fields)
        }
    }

    /// How many objects a query asks for.
    ///
    /// - Throws: as ``fetch(_:)-(TextQuery)``.
    /// - Complexity: of all objects of a model, that of a count of a tree's entries; where an index
    ///   answers the whole condition, a look at its entries; otherwise a look at each object that
    ///   may pass.
    public func count(_ query: TextQuery) throws(ObjectError) -> Int {
        var query = try BoundQuery(query, bindings)
        if query.selection.filter == .constant(true), query.selection.limit == nil {
            return try count(of: query.table.number)
        }
        query.selection.order = .none
        return try query.count(self)
    }

    /// How a query is answered now: which indexes are looked at, and why.
    ///
    /// - Throws: as ``fetch(_:)-(TextQuery)``.
    public func explain(_ query: TextQuery) throws(ObjectError) -> String {
        let query = try BoundQuery(query, bindings)
        let plan = try Planner(query.selection, of: query.table).plan(self)
        return plan.explanation.joined(separator: "\n")
    }

    /// Hands on a line of JSON for each object that a query asks for, until `body` stops.
    ///
    /// - Parameters:
    ///   - query: what is asked for.
    ///   - namesModel: whether each line names the model, as ``ObjectImport`` takes lines of many.
    ///   - body: gets a line without a newline at its end.
    /// - Throws: what `body` throws; as ``fetch(_:)-(TextQuery)``.
    public func forEachLine(
        _ query: TextQuery, namesModel: Bool = false,
        _ body: ([UInt8]) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let (lines, query) = (ObjectLines(schema), try BoundQuery(query, bindings))
        let name = query.table.model.name
        try query.forEach(self) { object throws(ObjectError) in
            let line = try query.line(of: object, lines, self)
            return try body(namesModel ? ObjectLines.naming(name, line) : line)
        }
    }

    /// Hands on what each object has in each column that a query asks for, as values and as JSON.
    package func forEachRow(
        _ query: TextQuery,
        _ body: ([(value: ObjectValue, json: [UInt8])]) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let (lines, query) = (ObjectLines(schema), try BoundQuery(query, bindings))
        try query.forEach(self) { object throws(ObjectError) in
            var row: [(value: ObjectValue, json: [UInt8])] = []
            for column in query.columns {
                var json: [UInt8] = []
                let value = try query.value(column, of: object, self)
                try lines.append(value, column.property, column.place, to: &json)
                row.append((value, json))
            }
            return try body(row)
        }
    }

    /// The names of the columns that a query asks for.
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
