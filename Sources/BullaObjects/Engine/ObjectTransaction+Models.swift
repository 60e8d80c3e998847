internal import Bulla
internal import BullaMemory

/// Models.
extension ObjectTransaction {
    /// Adds an object.
    ///
    /// - Throws: `duplicateKey` where one of its key is there; `duplicateValue` where another has
    ///   what is unique; `invalidKey`, `tooLarge`, `invalidModel`: then nothing has changed.
    ///   `damaged` and `store`: then a part may have, and the transaction is to be given up.
    /// - Complexity: one lookup, and one for each index.
    public mutating func insert<M: Model>(_ object: M) throws(ObjectError) {
        let (binding, table) = try model(M.self)
        let (key, row) = try draft(of: object, binding).finish()
        try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in try insert(key, row, into: table) }
        }
    }

    /// Adds an object, or puts it in the place of the one that has its key.
    ///
    /// - Throws, Complexity: as of ``insert(_:)``, but for `duplicateKey`.
    public mutating func upsert<M: Model>(_ object: M) throws(ObjectError) {
        let (binding, table) = try model(M.self)
        let draft = try draft(of: object, binding)
        let ownKey = try draft.key()
        try ownKey.withView { key throws(ObjectError) in
            guard let former = try self.row(key, in: table) else {
                return try draft.row(ownKey, over: nil).bytes.withView { row throws(ObjectError) in
                    try insert(key, row, into: table)
                }
            }
            try replace(ownKey, former, with: draft, binding, table)
        }
    }

    private mutating func replace(
        _ ownKey: [UInt8], _ former: [UInt8], with draft: borrowing ObjectDraft,
        _ binding: TypeBinding, _ table: ObjectTable
    ) throws(ObjectError) {
        try former.withView { former throws(ObjectError) in
            let new = try draft.row(ownKey, over: former)
            let row = try binding.row(new.bytes, keepingOthersOf: former)
            try ownKey.withView { key throws(ObjectError) in
                try row.withView { row throws(ObjectError) in
                    try replace(key, former, with: row, in: table)
                }
            }
            try keep(new.replaced, of: table)
        }
    }

    /// Changes the object of a key.
    ///
    /// - Parameters:
    ///   - model: its model.
    ///   - key: its key.
    ///   - body: gets the object, and changes all of it but the key.
    /// - Returns: `false` where there is no such object.
    /// - Throws: what `body` throws; `keyChanged` where it changes the key; as ``upsert(_:)``.
    @discardableResult
    public mutating func update<M: Model>(
        _ model: M.Type, key: M.Key, _ body: (inout M) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        let (binding, table) = try self.model(model)
        return try update(table.key(of: key.parts), binding, table, body)
    }

    /// Changes the object of a key that has one part.
    ///
    /// - Returns, Throws: as of ``update(_:key:_:)`` with a whole key.
    @discardableResult
    public mutating func update<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part, _ body: (inout M) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool where M.Key == ModelKey<Part> {
        let (binding, table) = try self.model(model)
        return try update(table.key(of: key.scalar), binding, table, body)
    }

    private mutating func update<M: Model>(
        _ key: [UInt8], _ binding: TypeBinding, _ table: ObjectTable,
        _ body: (inout M) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        let former = try key.withView { key throws(ObjectError) in try row(key, in: table) }
        guard let former else { return false }
        var object = try key.withView { key throws(ObjectError) in
            try former.withView { row throws(ObjectError) in
                try M(table.object(key, row), binding, bindings)
            }
        }
        try body(&object)
        let draft = try draft(of: object, binding)
        guard try draft.key() == key else {
            throw ObjectError(
                .keyChanged, "update \(M.modelName): its key is another one after it")
        }
        try replace(key, former, with: draft, binding, table)
        return true
    }

    /// Changes all objects that a query asks for, and returns how many there were.
    ///
    /// They are found before the first of them is changed.
    ///
    /// - Throws: as ``update(_:key:_:)``; those before it were changed then.
    @discardableResult
    public mutating func update<M: Model>(
        _ query: Query<M>, _ body: (inout M) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Int {
        var keys: [M.Key] = []
        try forEach(query) { object in
            keys.append(object.modelKey)
            return .next
        }
        for key in keys { try update(M.self, key: key, body) }
        return keys.count
    }

    /// Deletes the object of a key, and what its links and those that lead to it ask for.
    ///
    /// - Returns: `false` where there is no such object.
    /// - Throws: `referenced` where a link denies it: then nothing has changed. `damaged` and
    ///   `store`: then a part may have, and the transaction is to be given up.
    @discardableResult
    public mutating func delete<M: Model>(
        _ model: M.Type, key: M.Key
    ) throws(ObjectError) -> Bool {
        let table = try self.model(model).table
        let key = try table.key(of: key.parts)
        let isThere = try key.withView { key throws(ObjectError) in
            try visitObject(key, in: table) { _ in }
        }
        guard isThere else { return false }
        var deletion = Deletion(bindings.tables)
        deletion.add(key, of: table)
        try deletion.run(&self)
        return true
    }

    /// Deletes the object of a key that has one part.
    ///
    /// - Returns, Throws: as of ``delete(_:key:)`` with a whole key.
    @discardableResult
    public mutating func delete<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part
    ) throws(ObjectError) -> Bool where M.Key == ModelKey<Part> {
        try delete(model, key: ModelKey(key))
    }

    /// Deletes all objects that a query asks for, and returns how many objects have gone: those
    /// that went with them count.
    ///
    /// - Throws: as ``delete(_:key:)``.
    @discardableResult
    public mutating func delete<M: Model>(_ query: Query<M>) throws(ObjectError) -> Int {
        var deletion = Deletion(bindings.tables)
        try forEachObject(query) { object, binding in
            if let table = binding.table { deletion.add(object.key.copied(), of: table) }
            return .next
        }
        try deletion.run(&self)
        return deletion.count
    }

    private func model<M: Model>(
        _ model: M.Type
    ) throws(ObjectError) -> (binding: TypeBinding, table: ObjectTable) {
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else {
            throw ObjectError(.invalidModel, "write \(M.modelName): it is no model")
        }
        return (binding, table)
    }

    private func draft<M: Model>(
        of object: M, _ binding: TypeBinding
    ) throws(ObjectError) -> ObjectDraft {
        var draft = ObjectDraft(binding, bindings)
        try object.write(to: &draft)
        return draft
    }
}
