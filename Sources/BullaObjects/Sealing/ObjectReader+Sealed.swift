public import Bulla
internal import BullaMemory

extension ObjectError {
    /// Whether the error concerns only one object, so that other objects of its model may still
    /// open.
    fileprivate var isOfOneObject: Bool {
        switch code {
        case .sealed: cause?.code != .vaultLocked
        case .damaged, .unknownValue: true
        default: false
        }
    }

    /// The same error, with the object's name in its message.
    fileprivate func opening(_ object: String) -> ObjectError {
        let attempt = "open \(object)"
        return message.hasPrefix(attempt) ? self : ObjectError(code, "\(attempt): \(message)")
    }
}

/// Reading sealed models; only `openAll` opens anything.
extension ObjectReader where Self: ~Copyable {
    /// The object with a key, unopened; `nil` if there is none.
    ///
    /// - Throws: `invalidModel` if the database was opened without the model; `invalidKey`,
    ///   `damaged`, `store`.
    /// - Complexity: one lookup, and a copy of the row.
    public func fetch<M: SealedModel>(
        _ model: M.Type, key: M.Key
    ) throws(ObjectError) -> SealedObject<M>? {
        let binding = try bindings.model(M.modelName)
        guard let table = binding.table else { return nil }
        let key = try table.key(of: key.parts)
        return try key.withView { key throws(ObjectError) in
            try withObject(key, in: table) { object in
                SealedObject(object, binding, bindings)
            }
        }
    }

    /// The object with a key of one part, unopened; `nil` if there is none.
    ///
    /// - Throws, Complexity: as with a whole key.
    public func fetch<M: SealedModel, Part: Storable & Hashable>(
        _ model: M.Type, key: Part
    ) throws(ObjectError) -> SealedObject<M>? where M.Key == ModelKey<Part> {
        try fetch(model, key: ModelKey(key))
    }

    /// The object that a link refers to, unopened; `nil` if it is missing.
    ///
    /// - Throws, Complexity: as when fetching it by its key.
    public func fetch<M: SealedModel>(
        _ link: Link<M>
    ) throws(ObjectError) -> SealedObject<M>? {
        try fetch(M.self, key: link.key)
    }

    /// The objects that a query selects, unopened, in its order.
    ///
    /// - Throws: as when fetching one by its key.
    public func fetch<M: SealedModel>(
        _ query: Query<M>
    ) throws(ObjectError) -> [SealedObject<M>] {
        var objects: [SealedObject<M>] = []
        try forEachObject(query) { object, binding in
            objects.append(SealedObject(object, binding, bindings))
            return .next
        }
        return objects
    }

    /// The first object that a query selects, unopened; `nil` if there is none.
    ///
    /// - Throws: as when fetching one by its key.
    public func first<M: SealedModel>(
        of query: Query<M>
    ) throws(ObjectError) -> SealedObject<M>? {
        let found: [SealedObject<M>] = try fetch(query.limit(1))
        return found.first
    }

    /// Passes the objects that a query selects to `body`, unopened, in the query's order, until
    /// `body` returns `.stop`.
    ///
    /// Only one object is in memory at a time. But if no index has the query's order, the keys of
    /// all the selected objects are in memory, too. If `body` takes plain objects, as in
    /// `{ (login: Login) in ... }`, Swift selects another `forEach`, which opens them.
    ///
    /// - Throws: what `body` throws; otherwise as when fetching one by its key.
    public func forEach<M: SealedModel>(
        _ query: Query<M>, _ body: (SealedObject<M>) throws -> ScanStep
    ) throws {
        var failure = BodyFailure()
        try forEachObject(query) { object, binding throws(ObjectError) in
            let sealed = SealedObject<M>(object, binding, bindings)
            return failure.step { try body(sealed) }
        }
        try failure.rethrow()
    }

    /// Opens all objects that a query selects; an object that does not open does not affect the
    /// others.
    ///
    /// - Throws: as when fetching one by its key; `sealed` if the vault is locked, or the database
    ///   does not use it.
    public func openAll<M: SealedModel>(
        _ query: Query<M>
    ) throws(ObjectError) -> OpenedObjects<M> {
        var opened = OpenedObjects<M>()
        try forEachObject(query) { object, binding throws(ObjectError) in
            do throws(ObjectError) {
                opened.objects.append(try M(object, binding, bindings))
            } catch {
                guard error.isOfOneObject else { throw error }
                opened.failures.append(
                    error.opening(binding.table?.text(ofKey: object.key) ?? M.modelName))
            }
            return .next
        }
        return opened
    }

    /// The former values of a separately sealed property, the newest first, unopened.
    ///
    /// - Throws: `invalidModel` if the database was opened without the model; `invalidKey`,
    ///   `store`.
    /// - Complexity: one lookup, and a copy of each value.
    public func history<M: Model, Value: Sealable>(
        _ model: M.Type, key: M.Key, of property: KeyPath<M.Columns, SealedColumn<M, Value>>
    ) throws(ObjectError) -> [Sealed<Value>] {
        let (binding, column) = (try bindings.model(M.modelName), M.columns[keyPath: property])
        let type = column.isContent ? binding.content?.type : binding
        guard let table = binding.table, let type, let tree = table.model.historyTree else {
            return []
        }
        let number = type.numbers[column.ordinal]
        let spot = SealedSpot(
            table.number, try table.key(of: key.parts), number,
            isContent: column.isContent)
        let (name, prefix) = (
            SealedName(layout: type.layout, number: number), HistoryKey.prefix(spot)
        )
        var values: [Sealed<Value>] = []
        try scan(tree, .prefix(prefix), .ascending) { (key: ByteView, blob: ByteView) in
            if let sequence = HistoryKey.sequence(of: key, after: prefix) {
                let stored = SealedBytes(sequence, blob.copied())
                values.append(Sealed(StoredSeal(spot, stored, name, bindings)))
            }
            return .next
        }
        return values
    }

    /// The former values of a separately sealed property, in an object with a key of one part.
    ///
    /// - Throws, Complexity: as with a whole key.
    public func history<M: Model, Value: Sealable, Part: Storable & Hashable>(
        _ model: M.Type, key: Part, of property: KeyPath<M.Columns, SealedColumn<M, Value>>
    ) throws(ObjectError) -> [Sealed<Value>] where M.Key == ModelKey<Part> {
        try history(model, key: ModelKey(key), of: property)
    }
}
