internal import Bulla
internal import BullaMemory

/// Changing objects as models.
extension ObjectTransaction {
    /// Adds an object.
    ///
    /// - Throws: `duplicateKey` if an object with the same key exists; `duplicateValue` if another
    ///   object has a value that must be unique; `invalidKey`, `tooLarge`, `invalidModel`. After
    ///   any of these, nothing has changed. After `damaged` or `store`, some of the changes may
    ///   have been made: abandon the transaction.
    /// - Complexity: one lookup, and one more for each index.
    public mutating func insert<M: Model>(_ object: M) throws(ObjectError) {
        let (binding, table) = try model(M.self)
        let (key, row) = try draft(of: object, binding).finish()
        try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in try insert(key, row, into: table) }
        }
    }

    /// Adds an object, or replaces the one with the same key.
    ///
    /// - Throws, Complexity: as ``insert(_:)``, but without `duplicateKey`.
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

    /// Changes the object with a key.
    ///
    /// - Parameters:
    ///   - model: its model.
    ///   - key: its key.
    ///   - body: changes the object, but not its key.
    /// - Returns: `false` if there is no such object.
    /// - Throws: what `body` throws, in which case nothing has changed; `keyChanged` if `body`
    ///   changes the key; otherwise as ``upsert(_:)``.
    @discardableResult
    public mutating func update<M: Model>(
        _ model: M.Type, key: M.Key, _ body: (inout M) throws -> Void
    ) throws -> Bool {
        let (binding, table) = try self.model(model)
        return try update(table.key(of: key.parts), binding, table, body)
    }

    /// Changes the object with a key of one part.
    ///
    /// - Returns, Throws: as ``update(_:key:_:)`` with a whole key.
    @discardableResult
    public mutating func update<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part, _ body: (inout M) throws -> Void
    ) throws -> Bool where M.Key == ModelKey<Part> {
        let (binding, table) = try self.model(model)
        return try update(table.key(of: key.scalar), binding, table, body)
    }

    private mutating func update<M: Model>(
        _ key: [UInt8], _ binding: TypeBinding, _ table: ObjectTable,
        _ body: (inout M) throws -> Void
    ) throws -> Bool {
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
                .keyChanged, "update \(M.modelName): the update would change its key")
        }
        try replace(key, former, with: draft, binding, table)
        return true
    }

    /// Changes all objects that a query selects, and returns how many there were.
    ///
    /// It finds all of them before it changes the first one.
    ///
    /// - Throws: as ``update(_:key:_:)``; the objects before the one that failed stay changed.
    @discardableResult
    public mutating func update<M: Model>(
        _ query: Query<M>, _ body: (inout M) throws -> Void
    ) throws -> Int {
        var keys: [M.Key] = []
        try forEach(query) { object in
            keys.append(object.modelKey)
            return .next
        }
        for key in keys { try update(M.self, key: key, body) }
        return keys.count
    }

    /// Deletes the object with a key, and applies the delete rules of the links to it.
    ///
    /// - Returns: `false` if there is no such object.
    /// - Throws: `referenced` if a link denies the deletion, in which case nothing has changed.
    ///   After `damaged` or `store`, some of the changes may have been made: abandon the
    ///   transaction.
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

    /// Deletes the object with a key of one part.
    ///
    /// - Returns, Throws: as ``delete(_:key:)`` with a whole key.
    @discardableResult
    public mutating func delete<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part
    ) throws(ObjectError) -> Bool where M.Key == ModelKey<Part> {
        try delete(model, key: ModelKey(key))
    }

    /// Deletes all objects that a query selects, and those that the delete rules of links add;
    /// returns how many objects it deleted in all.
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
