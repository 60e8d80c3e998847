/// Following the result of a query.
extension ObjectDatabase {
    /// The changes of a query's result.
    ///
    /// ```swift
    /// for try await change in database.changes(of: Employee.where { $0.age > 60 }) {
    ///     print(change.inserted, change.updated, change.removed)
    /// }
    /// ```
    public func changes<M: Model>(of query: Query<M>) -> ObjectStream<ObjectChange<M>> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: query)
        } _: { changes, _, bindings throws(ObjectError) in
            try ObjectChange(changes, bindings)
        }
    }

    /// The changes of the result of a query for a sealed model, without opening any object.
    ///
    /// If the context asks for a stream of ``ObjectChange``, the objects are opened.
    public func changes<M: SealedModel>(of query: Query<M>) -> ObjectStream<SealedChange<M>> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: query)
        } _: { changes, _, bindings throws(ObjectError) in
            try SealedChange(changes, bindings)
        }
    }

    /// The number of objects that a query selects, whenever that number changes.
    public func counts<M: Model>(of query: Query<M>) -> ObjectStream<Int> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: query)
        } _: { changes, last, _ in
            changes.resultCount == last ? nil : changes.resultCount
        }
    }

    /// The object with a key, whenever it changes; `nil` while there is none.
    public func values<M: Model>(of model: M.Type, key: M.Key) -> ObjectStream<M?> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: model, key)
        } _: { changes, _, bindings throws(ObjectError) -> M?? in
            guard let object = changes.inserted.first ?? changes.updated.first else {
                return .some(nil)
            }
            return try M(object, bindings.model(M.modelName), bindings)
        }
    }

    /// The object with a key of one part, whenever it changes; `nil` while there is none.
    public func values<M: Model, Part: Storable & Hashable>(
        of model: M.Type, key: Part
    ) -> ObjectStream<M?> where M.Key == ModelKey<Part> {
        values(of: model, key: ModelKey(key))
    }

    /// The changes of the object of a sealed model with a key, unopened; `nil` while there is none.
    ///
    /// If you ask for plain objects, in an `ObjectStream<Login?>`, the object is opened.
    public func values<M: SealedModel>(
        of model: M.Type, key: M.Key
    ) -> ObjectStream<SealedObject<M>?> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: model, key)
        } _: { changes, _, bindings throws(ObjectError) -> SealedObject<M>?? in
            guard let object = changes.inserted.first ?? changes.updated.first else {
                return .some(nil)
            }
            return SealedObject<M>(object, try bindings.model(M.modelName), bindings)
        }
    }

    /// The changes of the object of a sealed model with a key of one part, unopened; `nil` while
    /// there is none.
    public func values<M: SealedModel, Part: Storable & Hashable>(
        of model: M.Type, key: Part
    ) -> ObjectStream<SealedObject<M>?> where M.Key == ModelKey<Part> {
        values(of: model, key: ModelKey(key))
    }

    private func follower<M: Model>(of query: Query<M>) throws(ObjectError) -> QueryFollower {
        let bindings = try makeSnapshot().bindings
        let table = try bindings.table(M.self)
        return QueryFollower(try query.bound(to: bindings), of: table, in: self, bindings)
    }

    private func follower<M: Model>(
        of model: M.Type, _ key: M.Key
    ) throws(ObjectError) -> QueryFollower {
        let bindings = try makeSnapshot().bindings
        let table = try bindings.table(M.self)
        let tests = zip(table.model.key, key.parts).map { number, part in
            Filter.test(Path(number), .compare(.equal, part.bytes))
        }
        return QueryFollower(Selection(filter: .all(tests)), of: table, in: self, bindings)
    }
}

extension _ObjectBindings {
    fileprivate func table<M: Model>(_ model: M.Type) throws(ObjectError) -> ObjectTable {
        guard let table = try self.model(M.modelName).table else {
            throw ObjectError(.invalidModel, "follow \(M.modelName): it is no model")
        }
        return table
    }
}
