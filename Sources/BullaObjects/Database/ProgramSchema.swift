internal import Bulla

/// What a program declares: its models, and its migrations of the objects in older stores.
struct ProgramSchema: Sendable {
    private let definitions: [ModelDefinition]
    private let migrations: [Migration]
    private let keyByteLimit: Int
    let vaults = ObjectVaults()

    /// - Throws: `invalidModel` if two migrations have the same name; `store`.
    init(
        _ models: [any Model.Type], _ migrations: [Migration], in store: Store
    ) throws(ObjectError) {
        guard Set(migrations.map(\.name)).count == migrations.count else {
            throw ObjectError(.invalidModel, "open the database: two migrations have one name")
        }
        definitions = models.map { $0.modelDefinition }
        self.migrations = migrations
        keyByteLimit = try ObjectError.ofStore { () throws(BullaError) in
            try store.info.keyByteLimit
        }
    }

    /// Makes a store match what the program declares, unless it already does.
    ///
    /// - Parameters:
    ///   - schema: the store's schema, as the caller read it.
    ///   - isPruning: whether to remove properties that no model has any more, together with their
    ///     values.
    /// - Returns: where the models' properties are in the store afterwards.
    func update(
        _ store: Store, from schema: DatabaseSchema, isPruning: Bool = false
    ) throws(ObjectError) -> _ObjectBindings {
        var update = try update(of: schema, isPruning)
        guard update.isNeeded else { return update.bindings }
        let transaction = try ObjectError.ofStore { () throws(BullaError) in
            try store.beginWrite()
        }
        // Another process may have changed the schema before the transaction began.
        update = try self.update(of: SchemaTree.read(transaction), isPruning)
        if update.isNeeded { try update.run(transaction) }
        return update.bindings
    }

    private func update(
        of schema: DatabaseSchema, _ isPruning: Bool
    ) throws(ObjectError) -> SchemaUpdate {
        SchemaUpdate(
            try SchemaMatch(
                definitions, to: schema, keyByteLimit: keyByteLimit, migrations: migrations,
                isPruning: isPruning), vaults)
    }

    /// Where the models' properties are in a store with this schema; `nil` if the schema does not
    /// match what the program declares.
    func currentBindings(in schema: DatabaseSchema) -> _ObjectBindings? {
        guard let update = try? update(of: schema, false), !update.isNeeded else { return nil }
        return update.bindings
    }

    /// Where a read finds the models' properties in a store that a newer program has changed.
    ///
    /// - Throws: `schemaChanged` if the store no longer has something that the models declare.
    func bindings(in schema: DatabaseSchema) throws(ObjectError) -> _ObjectBindings {
        let match = try FormerMatch(definitions, in: schema)
        return _ObjectBindings(
            schema, models: match.models, embedded: match.embedded, vaults)
    }
}
