public import Bulla

/// A store of objects.
///
/// Models are values: what was fetched never changes under its reader, and belongs to nobody.
/// Several databases can be open at once, in one process and in many.
public final class ObjectDatabase: Sendable {
    /// The store beneath, for copies, keys and all else that a store does.
    public let store: Store
    private let bindings: ObjectBindings
    private let generation: Int

    private init(_ store: Store, _ bindings: ObjectBindings) {
        (self.store, self.bindings) = (store, bindings)
        generation = bindings.tables.schema.generation
    }

    /// Opens a store of objects, or makes it where there is none.
    ///
    /// What the models have come to need that asks for no decision is changed at once: new models,
    /// indexes, names, and properties with a value for the objects that are there.
    ///
    /// - Parameters:
    ///   - path: where the store's file is.
    ///   - key: of an encrypted store.
    ///   - options: of the store.
    ///   - models: all that the program uses, and all that they link to.
    /// - Throws: `migrationNeeded`, `invalidModel`, `duplicateValue` where an index is unique and
    ///   the objects are not: then the store is as it was; `damaged`; `store`, with what the store
    ///   says.
    /// - Complexity: a look at each object of a model that gets an index.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions(),
        models: any Model.Type...
    ) throws(ObjectError) -> ObjectDatabase {
        let store = try ObjectError.ofStore { () throws(BullaError) in
            try Store.open(at: path, key: key, options: options)
        }
        return try ObjectDatabase(store, models: models)
    }

    /// Opens the objects of a store that is open.
    ///
    /// - Throws, Complexity: as of ``open(at:key:options:models:)``.
    public convenience init(_ store: Store, models: [any Model.Type]) throws(ObjectError) {
        let definitions = models.map { $0.definition }
        let limit = try ObjectError.ofStore { () throws(BullaError) in try store.info.keyByteLimit }
        let schema = try ObjectError.whileScanning {
            try store.read { snapshot in try SchemaTree.read(snapshot) }
        }
        var update = SchemaUpdate(
            try SchemaMatch(definitions, to: schema, keyByteLimit: limit))
        if update.isNeeded {
            let transaction = try ObjectError.ofStore { () throws(BullaError) in
                try store.beginWrite()
            }
            // Another process may have changed it meanwhile.
            let newest = try SchemaTree.read(transaction)
            update = SchemaUpdate(
                try SchemaMatch(definitions, to: newest, keyByteLimit: limit))
            if update.isNeeded { try update.run(transaction) }
        }
        self.init(store, update.bindings)
    }

    /// What the store holds, described.
    public var schema: DatabaseSchema { bindings.tables.schema }

    /// Reads the newest commit.
    ///
    /// - Throws: what `body` throws; `schemaChanged` where another process has changed the schema
    ///   since the database was opened; `store`.
    public func read<R>(
        visibility: Visibility = .durable, _ body: (borrowing ObjectSnapshot) throws -> R
    ) throws -> R {
        try body(makeSnapshot(visibility: visibility))
    }

    /// A snapshot, which sees the newest commit for as long as it lives.
    ///
    /// - Throws: as ``read(visibility:_:)``.
    public func makeSnapshot(
        visibility: Visibility = .durable
    ) throws(ObjectError) -> ObjectSnapshot {
        let snapshot = try ObjectError.ofStore { () throws(BullaError) in
            try store.makeSnapshot(visibility: visibility)
        }
        try check(SchemaTree.generation(snapshot))
        return ObjectSnapshot(snapshot, bindings)
    }

    /// Changes objects: all that `body` does, or nothing where it throws.
    ///
    /// - Throws: what `body` throws; `schemaChanged`; `store`, with what committing says.
    @discardableResult
    public func write<R>(
        durability: Durability = .full, _ body: (inout ObjectTransaction) throws -> R
    ) throws -> R {
        let transaction = try ObjectError.ofStore { () throws(BullaError) in
            try store.beginWrite(durability: durability)
        }
        try check(SchemaTree.generation(transaction))
        var objects = ObjectTransaction(transaction, bindings)
        let result = try body(&objects)
        try objects.commit()
        return result
    }

    private func check(_ generation: Int) throws(ObjectError) {
        guard generation == self.generation else {
            throw ObjectError(
                .schemaChanged,
                "use \(store.path): its schema is of generation \(generation), and the database "
                    + "was opened at \(self.generation); open it again")
        }
    }
}
