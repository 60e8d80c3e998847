internal import Bulla
internal import BullaMemory

/// Changing objects without their models.
///
/// Delete rules, unique indexes and links work as they do with models. Sealed values stay as they
/// are: only a vault can make new ones.
extension ObjectTransaction {
    /// Adds an object to a model.
    ///
    /// - Throws: `invalidModel` if the schema has no such model, or the properties do not fit it;
    ///   `sealed` if a sealed value is given, or the whole model is sealed; `duplicateKey`,
    ///   `duplicateValue`, `invalidKey`, `tooLarge`. After any of these, nothing has changed. After
    ///   `damaged` or `store`, a part of the change may have been made: abandon the transaction.
    /// - Complexity: one lookup, and one for each index.
    public mutating func insert(
        _ fields: ObjectFields, into model: String
    ) throws(ObjectError) {
        let table = try bindings.table(named: model)
        let key = try table.key(of: fields)
        try add(key, table.row(of: fields, schema), to: table)
    }

    /// Adds an object to a model, or replaces the one with the same key.
    ///
    /// The replaced object's sealed values stay, and so do the values of its retired properties.
    ///
    /// - Returns: whether the object was added.
    /// - Throws, Complexity: as ``insert(_:into:)``, but not `duplicateKey`. A call that replaces
    ///   an object throws `sealed` if a given sealed value differs from the stored one.
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

    /// Deletes the object with a key, and applies the delete rules of the links to it.
    ///
    /// - Returns: `false` if there is no such object.
    /// - Throws: `invalidModel`, `invalidKey`; `referenced` if a link denies the deletion. After
    ///   any of these, nothing has changed. After `damaged` or `store`, a part of the change may
    ///   have been made: abandon the transaction.
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

    /// Deletes all objects that a query selects, and those that the delete rules of links add;
    /// returns how many objects it deleted in all.
    ///
    /// - Throws: `invalidQuery`; otherwise as ``delete(_:key:)-(String,_)``.
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
                "write \(table.model.name): its objects are sealed, and only a program with the "
                    + "vault can make one")
        }
        try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in try insert(key, row, into: table) }
        }
    }

    /// The given properties, without the sealed ones that are nil or equal the stored value; for
    /// those, the update keeps the stored value.
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
    /// The key that these properties contain.
    ///
    /// - Throws: `invalidKey` if a part of it is missing or has another type.
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

    /// The row made of these properties.
    ///
    /// - Throws: the errors of ``FieldCheck``, if the properties do not fit the model.
    fileprivate func row(
        of fields: ObjectFields, _ schema: DatabaseSchema
    ) throws(ObjectError) -> [UInt8] {
        let whole = try FieldCheck(schema).whole(
            fields.values, of: model.properties, at: model.name)
        return try ValueCoding(schema: schema).row(whole, model.properties, layout)
    }

    /// Where a row holds the properties that are neither retired nor sealed; an update leaves all
    /// the other values of a row as they are.
    fileprivate var bindingOfClear: TypeBinding {
        let clear = model.properties.filter { !$0.isRetired && !$0.isSealed }
        return TypeBinding(self, numbers: clear.map(\.number))
    }
}
