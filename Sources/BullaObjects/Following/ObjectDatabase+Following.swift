/// Following the result of a query.
extension ObjectDatabase {
    /// A stream of the changes to a query's result.
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

    /// A stream of the changes to the result of a query for a sealed model, with unopened objects.
    ///
    /// If the context asks for a stream of ``ObjectChange``, the stream opens the objects.
    public func changes<M: SealedModel>(of query: Query<M>) -> ObjectStream<SealedChange<M>> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: query)
        } _: { changes, _, bindings throws(ObjectError) in
            try SealedChange(changes, bindings)
        }
    }

    /// A stream of the number of objects that a query selects: now, and whenever the number
    /// changes.
    public func counts<M: Model>(of query: Query<M>) -> ObjectStream<Int> {
        ObjectStream { () throws(ObjectError) in
            try self.follower(of: query)
        } _: { changes, last, _ in
            changes.resultCount == last ? nil : changes.resultCount
        }
    }

    /// A stream of the object with a key: now, and whenever it changes; `nil` while there is none.
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

    /// A stream of the object with a key of one part: now, and whenever it changes; `nil` while
    /// there is none.
    public func values<M: Model, Part: Storable & Hashable>(
        of model: M.Type, key: Part
    ) -> ObjectStream<M?> where M.Key == ModelKey<Part> {
        values(of: model, key: ModelKey(key))
    }

    /// A stream of an unopened object of a sealed model, found by its key: now, and whenever the
    /// object changes; `nil` while there is none.
    ///
    /// If you ask for plain objects, in an `ObjectStream<Login?>`, the stream opens the object.
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

    /// A stream of an unopened object of a sealed model, found by its key of one part: now, and
    /// whenever the object changes; `nil` while there is none.
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
