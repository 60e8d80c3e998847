internal import Bulla
internal import BullaMemory

/// Objects in a form that needs no model.
///
/// Delete rules, unique indexes and what refers to an object are kept as they are with models. What
/// is sealed stays as it is: only a vault makes it.
extension ObjectTransaction {
    /// Adds an object to a model.
    ///
    /// - Throws: `invalidModel` where the schema has no such model, or it has other properties;
    ///   `sealed` where a property is given that is sealed, or the model is as a whole;
    ///   `duplicateKey`, `duplicateValue`, `invalidKey`, `tooLarge`: then nothing has changed.
    ///   `damaged` and `store`: then a part may have, and the transaction is to be given up.
    /// - Complexity: one lookup, and one for each index.
    public mutating func insert(
        _ fields: ObjectFields, into model: String
    ) throws(ObjectError) {
        let table = try bindings.table(named: model)
        let key = try table.key(of: fields)
        try add(key, table.row(of: fields, schema), to: table)
    }

    /// Adds an object to a model, or puts it in the place of the one that has its key.
    ///
    /// What the other has sealed, and what its retired properties hold, stays.
    ///
    /// - Returns: whether it was added.
    /// - Throws, Complexity: as of ``insert(_:into:)``, but for `duplicateKey`; `sealed` where a
    ///   property that is sealed is given, and is not what the other has.
    @discardableResult
    public mutating func upsert(
        _ fields: ObjectFields, into model: String
    ) throws(ObjectError) -> Bool {
        let table = try bindings.table(named: model)
        let key = try table.key(of: fields)
        let former = try key.withView { key throws(ObjectError) in try row(key, in: table) }
        guard let former else {
            try add(key, table.row(of: fields, schema), to: table)
            return true
        }
        try key.withView { key throws(ObjectError) in
            try former.withView { former throws(ObjectError) in
                let object = try table.object(key, former)
                let clear = try withoutSealed(fields, of: object, in: table)
                let row = try table.row(of: clear, schema)
                try table.bindingOfClear.row(row, keepingOthersOf: former).withView {
                    row throws(ObjectError) in
                    try replace(key, former, with: row, in: table)
                }
            }
        }
        return false
    }

    /// Deletes the object of a key, and what its links and those that lead to it ask for.
    ///
    /// - Returns: `false` where there is no such object.
    /// - Throws: `invalidModel`, `invalidKey`; `referenced` where a link denies it: then nothing
    ///   has changed. `damaged` and `store`: then a part may have, and the transaction is to be
    ///   given up.
    @discardableResult
    public mutating func delete(_ model: String, key: [Scalar]) throws(ObjectError) -> Bool {
        let table = try bindings.table(named: model)
        let key = try table.key(of: key)
        let isThere = try key.withView { key throws(ObjectError) in
            try visitObject(key, in: table) { _ in }
        }
        guard isThere else { return false }
        var deletion = Deletion(bindings.tables)
        deletion.add(key, of: table)
        try deletion.run(&self)
        return true
    }

    /// Deletes all objects that a query asks for, and returns how many objects have gone: those
    /// that went with them count.
    ///
    /// - Throws: `invalidQuery`; as ``delete(_:key:)-(String,_)``.
    @discardableResult
    public mutating func delete(_ query: TextQuery) throws(ObjectError) -> Int {
        let query = try BoundQuery(query, bindings)
        var deletion = Deletion(bindings.tables)
        try query.forEach(self) { object in
            deletion.add(object.key.copied(), of: query.table)
            return .next
        }
        try deletion.run(&self)
        return deletion.count
    }

    private mutating func add(
        _ key: [UInt8], _ row: [UInt8], to table: ObjectTable
    ) throws(ObjectError) {
        guard table.model.content == nil else {
            throw ObjectError(
                .sealed,
                "write \(table.model.name): its objects are sealed, and only a program that opens "
                    + "them makes one")
        }
        try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in try insert(key, row, into: table) }
        }
    }

    /// The properties without what is sealed and stays as it is.
    private func withoutSealed(
        _ fields: ObjectFields, of object: ObjectBytes, in table: ObjectTable
    ) throws(ObjectError) -> ObjectFields {
        var clear = fields
        let coding = ValueCoding(schema: schema)
        for property in table.model.properties where property.isSealed && !property.isRetired {
            guard let value = fields.values[property.name] else { continue }
            let former = try table.layout.withValue(property.number, of: object) {
                bytes throws(ObjectError) in
                try coding.value(bytes, of: property)
            }
            if value == former || value == .null { clear.values[property.name] = nil }
        }
        return clear
    }
}

extension ObjectTable {
    /// The key that properties have.
    ///
    /// - Throws: `invalidKey` where a part of it is missing or has another type.
    func key(of fields: ObjectFields) throws(ObjectError) -> [UInt8] {
        var parts: [Scalar] = []
        for number in model.key {
            guard let name = model.property(number)?.name,
                case .scalar(let part) = fields[name]
            else {
                throw ObjectError(.invalidKey, "write \(model.name): its key is missing")
            }
            parts.append(part)
        }
        return try key(of: parts)
    }

    /// The row of properties, where they are the model's.
    fileprivate func row(
        of fields: ObjectFields, _ schema: DatabaseSchema
    ) throws(ObjectError) -> [UInt8] {
        let whole = try FieldCheck(schema).whole(
            fields.values, of: model.properties, at: model.name)
        return try ValueCoding(schema: schema).row(whole, model.properties, layout)
    }

    /// How what is clear lies in rows: the rest stays when an object is written again.
    fileprivate var bindingOfClear: TypeBinding {
        let clear = model.properties.filter { !$0.isRetired && !$0.isSealed }
        return TypeBinding(self, numbers: clear.map(\.number))
    }
}
