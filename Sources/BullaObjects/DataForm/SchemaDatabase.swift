public import Bulla
internal import Synchronization

/// A store of objects without the program that made it: what its own schema describes, and no model
/// is needed for.
///
/// Objects are ``ObjectFields``, asked for by the names of their models, and by conditions that are
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
/// The same verbs are there in the snapshots and transactions of an ``ObjectDatabase``.
public final class SchemaDatabase: Sendable {
    /// The store beneath, for copies, keys and all else that a store does.
    public let store: Store
    private let known: Mutex<ObjectBindings>

    /// Opens a store of objects that is there.
    ///
    /// - Parameters:
    ///   - path: where the store's file is.
    ///   - key: of an encrypted store.
    ///   - options: of the store; a missing one is not made, unless they say so.
    /// - Throws: `damaged` where the store has a schema that is none; `store`, with what the store
    ///   says.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions? = nil
    ) throws(ObjectError) -> SchemaDatabase {
        var chosen = options ?? StoreOptions()
        if options == nil { chosen.creation = .never }
        let store = try ObjectError.ofStore { () throws(BullaError) in
            try Store.open(at: path, key: key, options: chosen)
        }
        return try SchemaDatabase(store)
    }

    /// Opens the objects of a store that is open.
    ///
    /// A store without a schema has no models.
    ///
    /// - Throws: as ``open(at:key:options:)``.
    public init(_ store: Store) throws(ObjectError) {
        self.store = store
        known = Mutex(ObjectBindings(try Self.newestSchema(of: store)))
    }

    /// What the store holds, described, as it was when the database was opened or refreshed.
    public var schema: DatabaseSchema { known.withLock { $0.tables.schema } }

    /// Reads the schema again, which another program may have changed.
    ///
    /// - Throws: as ``open(at:key:options:)``.
    public func refresh() throws(ObjectError) {
        let bindings = ObjectBindings(try Self.newestSchema(of: store))
        known.withLock { if bindings.generation > $0.generation { $0 = bindings } }
    }

    /// Reads the newest commit, with the schema that it has.
    ///
    /// - Throws: what `body` throws; `damaged`, `store`.
    public func read<R>(
        visibility: Visibility = .durable, _ body: (borrowing ObjectSnapshot) throws -> R
    ) throws -> R {
        try body(makeSnapshot(visibility: visibility))
    }

    /// A snapshot, which sees the newest commit for as long as it lives, with the schema of then.
    ///
    /// - Throws: as ``read(visibility:_:)``.
    public func makeSnapshot(
        visibility: Visibility = .durable
    ) throws(ObjectError) -> ObjectSnapshot {
        let snapshot = try ObjectError.ofStore { () throws(BullaError) in
            try store.makeSnapshot(visibility: visibility)
        }
        let former = known.withLock { $0 }
        guard try SchemaTree.generation(snapshot) != former.generation else {
            return ObjectSnapshot(snapshot, former)
        }
        let bindings = ObjectBindings(try SchemaTree.read(snapshot))
        return ObjectSnapshot(snapshot, bindings)
    }

    /// Changes objects: all that `body` does, or nothing where it throws.
    ///
    /// - Throws: what `body` throws; `schemaChanged` where another program has changed the schema
    ///   since ``schema`` was read: look at it again after ``refresh()``; `store`, with what
    ///   committing says.
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
