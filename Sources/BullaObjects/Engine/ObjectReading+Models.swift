public import Bulla
internal import BullaMemory

/// Models.
extension ObjectReading where Self: ~Copyable {
    /// The object of a key, or `nil` where there is none.
    ///
    /// - Throws: `invalidModel` where the database was opened without the model; `damaged`,
    ///   `unknownValue`, `store`.
    /// - Complexity: one lookup.
    public func fetch<M: Model>(_ model: M.Type, key: M.Key) throws(ObjectError) -> M? {
        try fetch(by: bindings.model(M.modelName)) { table throws(ObjectError) in
            try table.key(of: key.parts)
        }
    }

    /// The object of a key that has one part, or `nil` where there is none.
    ///
    /// - Throws, Complexity: as of ``fetch(_:key:)`` with a whole key.
    public func fetch<M: Model, Part: Storable & Hashable>(
        _ model: M.Type, key: Part
    ) throws(ObjectError) -> M? where M.Key == ModelKey<Part> {
        try fetch(by: bindings.model(M.modelName)) { table throws(ObjectError) in
            try table.key(of: key.scalar)
        }
    }

    /// Whether there is an object of a key.
    ///
    /// - Throws: `invalidModel` where the database was opened without the model; `invalidKey`,
    ///   `store`.
    /// - Complexity: as of ``fetch(_:key:)``, but that nothing is decoded.
    public func contains<M: Model>(_ model: M.Type, key: M.Key) throws(ObjectError) -> Bool {
        guard let table = try bindings.model(M.modelName).table else { return false }
        return try contains(table.key(of: key.parts), in: table)
    }

    /// Whether there is an object of a key that has one part.
    ///
    /// - Throws, Complexity: as of ``contains(_:key:)`` with a whole key.
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

    /// What a link refers to, or `nil` where it is not there.
    ///
    /// - Throws, Complexity: as of ``fetch(_:key:)``.
    public func fetch<M: Model>(_ link: Link<M>) throws(ObjectError) -> M? {
        try fetch(M.self, key: link.key)
    }

    /// The objects that a query asks for, in its order.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func fetch<M: Model>(_ query: Query<M>) throws(ObjectError) -> [M] {
        var objects: [M] = []
        try forEach(query) { object in
            objects.append(object)
            return .next
        }
        return objects
    }

    /// The first object that a query asks for, in its order; `nil` where there is none.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func first<M: Model>(_ query: Query<M>) throws(ObjectError) -> M? {
        try fetch(query.limit(1)).first
    }

    /// Hands on the objects that a query asks for, in its order, until `body` stops.
    ///
    /// One object is in memory at a time, and of a query whose order no index has, all keys.
    ///
    /// - Throws: what `body` throws; as ``fetch(_:key:)``.
    public func forEach<M: Model>(
        _ query: Query<M>, _ body: (M) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try forEachObject(query) { object, binding throws(ObjectError) in
            try body(M(object, binding, bindings))
        }
    }

    /// How many objects a query asks for.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    /// - Complexity: of all objects of a model, that of a count of a tree's entries; where an index
    ///   answers the whole condition, a look at its entries; otherwise a look at each object that
    ///   may pass, of which no more is read than the query compares.
    public func count<M: Model>(_ query: Query<M>) throws(ObjectError) -> Int {
        if query.asksForAll {
            let binding = try bindings.model(M.modelName)
            return try count(of: binding.number)
        }
        var query = query
        if query.after == nil { query.order = [] }
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return 0 }
        return try SelectionRun(try query.bound(to: bindings), of: table, in: bindings.tables)
            .count(self)
    }

    /// Whether a query asks for any object.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func exists<M: Model>(_ query: Query<M>) throws(ObjectError) -> Bool {
        try count(query.limit(1)) > 0
    }

    /// How a query is answered now: which indexes are looked at, and why.
    ///
    /// - Throws: as ``fetch(_:key:)``.
    public func explain<M: Model>(_ query: Query<M>) throws(ObjectError) -> String {
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return "" }
        let plan = try Planner(query.bound(to: bindings), of: table).plan(self)
        return plan.explanation.joined(separator: "\n")
    }

    /// Lends the objects that a query asks for.
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
        _ object: ObjectBytes, _ binding: TypeBinding, _ bindings: ObjectBindings
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
