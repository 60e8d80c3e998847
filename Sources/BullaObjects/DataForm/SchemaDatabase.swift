public import Bulla
internal import Synchronization

/// A store of objects, opened through its own schema, without the models of the program that made
/// it.
///
/// Objects are ``ObjectFields``. You ask for them by the name of their model, with conditions as
/// text:
///
/// ```swift
/// let database = try SchemaDatabase.open(at: "firm.bulla", key: key)
/// try database.read { snapshot in
///     for model in snapshot.schema.models { print(model.name) }
///     let query = TextQuery("Employee", where: "age > 60 and company.name = 'Ur'")
///     for employee in try snapshot.fetch(query) { print(employee["name"]) }
/// }
/// ```
///
/// The snapshots and transactions of an ``ObjectDatabase`` have these methods, too.
public final class SchemaDatabase: Sendable {
    /// The underlying store, for copies, keys and everything else that a store does.
    public let store: Store
    private let known: Mutex<_ObjectBindings>

    /// Opens an existing store of objects; never creates one.
    ///
    /// A new store would have no models. To make one without a program's models, open a ``Store``,
    /// and pass it to `init(_:)`.
    ///
    /// - Parameters:
    ///   - path: where the store's file is.
    ///   - key: the key of an encrypted store.
    ///   - options: the store's options, except that `creation` counts as `never`.
    /// - Throws: `damaged` if the store's schema cannot be read; `store`, with the store's error.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions()
    ) throws(ObjectError) -> SchemaDatabase {
        var existing = options
        existing.creation = .never
        let store = try ObjectError.ofStore { () throws(BullaError) in
            try Store.open(at: path, key: key, options: existing)
        }
        return try SchemaDatabase(store)
    }

    /// Opens the objects of a store that is already open.
    ///
    /// A store without a schema has no models.
    ///
    /// - Throws: as ``open(at:key:options:)``.
    public init(_ store: Store) throws(ObjectError) {
        self.store = store
        known = Mutex(_ObjectBindings(try Self.newestSchema(of: store)))
    }

    /// Opens the objects of a store that is already open, without blocking the threads that tasks
    /// share.
    ///
    /// - Throws: as the synchronous form.
    public init(_ store: Store) async throws(ObjectError) {
        let schema = try await ObjectDatabase.queue.run { () throws(ObjectError) in
            try SchemaDatabase.newestSchema(of: store)
        }
        self.store = store
        known = Mutex(_ObjectBindings(schema))
    }

    /// The store's schema, as it was when the database was opened or last refreshed.
    public var schema: DatabaseSchema { known.withLock { $0.tables.schema } }

    /// Reads the schema again, in case another program has changed it.
    ///
    /// - Throws: as ``open(at:key:options:)``.
    public func refresh() throws(ObjectError) {
        let bindings = _ObjectBindings(try Self.newestSchema(of: store))
        known.withLock { if bindings.generation > $0.generation { $0 = bindings } }
    }

    /// Reads the newest commit that `visibility` allows, with its schema.
    ///
    /// - Throws: what `body` throws; `damaged`, `store`.
    public func read<R>(
        visibility: SnapshotVisibility = .durable, _ body: (borrowing ObjectSnapshot) throws -> R
    ) throws -> R {
        try body(makeSnapshot(visibility: visibility))
    }

    /// A snapshot of the commit that is now the newest of those that `visibility` allows, with its
    /// schema.
    ///
    /// - Throws: as ``read(visibility:_:)``.
    public func makeSnapshot(
        visibility: SnapshotVisibility = .durable
    ) throws(ObjectError) -> ObjectSnapshot {
        let snapshot = try ObjectError.ofStore { () throws(BullaError) in
            try store.makeSnapshot(visibility: visibility)
        }
        let former = known.withLock { $0 }
        guard try SchemaTree.generation(snapshot) != former.generation else {
            return ObjectSnapshot(snapshot, former)
        }
        let bindings = _ObjectBindings(try SchemaTree.read(snapshot))
        return ObjectSnapshot(snapshot, bindings)
    }

    /// Changes objects: applies everything that `body` does, or nothing if it throws.
    ///
    /// - Throws: what `body` throws; `schemaChanged` if another program has changed the schema
    ///   since this database last read it (call `refresh()`, and look at ``schema`` again);
    ///   `store`, with the error of the commit.
    @discardableResult
    public func write<R>(
        durability: Durability = .full, _ body: (inout ObjectTransaction) throws -> R
    ) throws -> R {
        let transaction = try ObjectError.ofStore { () throws(BullaError) in
            try store.beginWrite(durability: durability)
        }
        let bindings = known.withLock { $0 }
        guard try SchemaTree.generation(transaction) == bindings.generation else {
            throw ObjectError(
                .schemaChanged,
                "write \(store.path): another program has changed its schema since it was read")
        }
        var objects = ObjectTransaction(transaction, bindings)
        let result = try body(&objects)
        try objects.commit()
        return result
    }

    private static func newestSchema(of store: Store) throws(ObjectError) -> DatabaseSchema {
        try ObjectError.whileScanning {
            try store.read { snapshot in try SchemaTree.read(snapshot) }
        }
    }
}
