public import Bulla
internal import BullaMemory

/// Reading objects as models.
extension ObjectReader where Self: ~Copyable {
    /// The object with a key, or `nil` if there is none.
    ///
    /// - Throws: `invalidModel` if the database was opened without the model; `invalidKey`,
    ///   `damaged`, `unknownValue`, `sealed`, `store`.
    /// - Complexity: one lookup.
    public func fetch<M: Model>(_ model: M.Type, key: M.Key) throws(ObjectError) -> M? {
        try fetch(by: bindings.model(M.modelName)) { table throws(ObjectError) in
            try table.key(of: key.parts)
        }
    }

    /// The object with a key of one part, or `nil` if there is none.
    ///
    /// - Throws, Complexity: as ``fetch(_:key:)`` with a whole key.
    public func fetch<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part
    ) throws(ObjectError) -> M? where M.Key == ModelKey<Part> {
        try fetch(by: bindings.model(M.modelName)) { table throws(ObjectError) in
            try table.key(of: key.scalar)
        }
    }

    /// Whether there is an object with a key.
    ///
    /// - Throws: `invalidModel` if the database was opened without the model; `invalidKey`,
    ///   `store`.
    /// - Complexity: as ``fetch(_:key:)``, but decodes nothing.
    public func contains<M: Model>(_ model: M.Type, key: M.Key) throws(ObjectError) -> Bool {
        guard let table = try bindings.model(M.modelName).table else { return false }
        return try contains(table.key(of: key.parts), in: table)
    }

    /// Whether there is an object with a key of one part.
    ///
    /// - Throws, Complexity: as ``contains(_:key:)`` with a whole key.
    public func contains<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part
    ) throws(ObjectError) -> Bool where M.Key == ModelKey<Part> {
        guard let table = try bindings.model(M.modelName).table else { return false }
        return try contains(table.key(of: key.scalar), in: table)
    }

    private func contains(_ key: [UInt8], in table: ObjectTable) throws(ObjectError) -> Bool {
        try key.withView { key throws(ObjectError) in
            try visitEntry(key, in: table.number) { (_: ByteView) in }
        }
    }

    private func fetch<M: Model>(
        by binding: TypeBinding, _ key: (ObjectTable) throws(ObjectError) -> [UInt8]
    ) throws(ObjectError) -> M? {
        guard let table = binding.table else { return nil }
        var found: M?
        try key(table).withView { key throws(ObjectError) in
            _ = try visitObject(key, in: table) { object throws(ObjectError) in
                found = try M(object, binding, bindings)
            }
        }
        return found
    }

    /// The object that a link refers to, or `nil` if it is missing.
    ///
    /// - Throws, Complexity: as ``fetch(_:key:)``.
    public func fetch<M: Model>(_ link: Link<M>) throws(ObjectError) -> M? {
        try fetch(M.self, key: link.key)
    }

    /// The objects that a query selects, in its order.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func fetch<M: Model>(_ query: Query<M>) throws(ObjectError) -> [M] {
        var objects: [M] = []
        try forEachObject(query) { object, binding throws(ObjectError) in
            objects.append(try M(object, binding, bindings))
            return .next
        }
        return objects
    }

    /// The first object that a query selects, in its order; `nil` if there is none.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func first<M: Model>(of query: Query<M>) throws(ObjectError) -> M? {
        try fetch(query.limit(1)).first
    }

    // Disfavored: for a closure without a parameter type, the compiler then chooses the other form,
    // which passes a sealed model's objects unopened.
    /// Passes the objects that a query selects to `body`, in the query's order, until `body`
    /// returns `.stop`.
    ///
    /// Only one object is in memory at a time. But if no index has the query's order, the keys of
    /// all the selected objects are in memory, too.
    ///
    /// - Throws: what `body` throws; otherwise as ``fetch(_:key:)``.
    @_disfavoredOverload
    public func forEach<M: Model>(_ query: Query<M>, _ body: (M) throws -> ScanStep) throws {
        var failure = BodyFailure()
        try forEachObject(query) { object, binding throws(ObjectError) in
            let model = try M(object, binding, bindings)
            return failure.step { try body(model) }
        }
        try failure.rethrow()
    }

    /// How many objects a query selects.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    /// - Complexity: if the query selects all objects of a model, the cost of counting a tree's
    ///   entries. If an index answers the whole condition, one read of each matching entry.
    ///   Otherwise, one read of the properties that the query compares, in each object that may
    ///   meet the condition.
    public func count<M: Model>(of query: Query<M>) throws(ObjectError) -> Int {
        if query.asksForAll {
            let binding = try bindings.model(M.modelName)
            return try _count(of: binding.number)
        }
        var query = query
        if query.after == nil { query.order = [] }
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return 0 }
        return try SelectionRun(try query.bound(to: bindings), of: table, in: bindings.tables)
            .count(self)
    }

    /// Whether there is an object that a query selects.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func contains<M: Model>(_ query: Query<M>) throws(ObjectError) -> Bool {
        try count(of: query.limit(1)) > 0
    }

    /// How Bulla would answer a query now: which indexes it would use, and why.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func explain<M: Model>(_ query: Query<M>) throws(ObjectError) -> String {
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return "" }
        let plan = try Planner(query.bound(to: bindings), of: table).plan(self)
        return plan.explanation.joined(separator: "\n")
    }

    /// Lends the objects that a query selects.
    package func forEachObject<M: Model>(
        _ query: Query<M>,
        _ body: (ObjectBytes, TypeBinding) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return }
        let run = SelectionRun(try query.bound(to: bindings), of: table, in: bindings.tables)
        try run.forEach(self) { object throws(ObjectError) in try body(object, binding) }
    }
}

extension Model {
    package init(
        _ object: ObjectBytes, _ binding: TypeBinding, _ bindings: _ObjectBindings
    ) throws(ObjectError) {
        guard binding.content == nil else {
            let seal = try SealedContent(object, binding, bindings)
            self = try seal.withOpened { content throws(ObjectError) in
                var stored = StoredObject(object: object, binding: binding, bindings: bindings)
                stored.content = content
                return try Self(from: stored)
            }
            return
        }
        try self.init(from: StoredObject(object: object, binding: binding, bindings: bindings))
    }
}

extension Query {
    fileprivate var asksForAll: Bool { filter == .constant(true) && limit == nil }
}
