public import Bulla
internal import Synchronization

/// A store of objects.
///
/// Models are values: a fetched object never changes under its reader, and belongs to no thread.
/// A process can have several databases open at once, even of one store, and other processes can
/// have that store open too.
public final class ObjectDatabase: Sendable {
    /// The underlying store, for copies, keys and everything else that a store does.
    public let store: Store
    let program: ProgramSchema
    private let newerSchema: NewerSchema
    private let known: Mutex<Known>
    /// The folder of a temporary database.
    private let folder: TemporaryFolder?

    /// The schema as the database knows it, and whether it is newer than the program's.
    struct Known: Sendable {
        let bindings: _ObjectBindings
        let isNewer: Bool
    }

    /// The result of opening: the program's models, and the schema of the store after its update.
    struct Opened: Sendable {
        let program: ProgramSchema
        let known: Known

        init(
            _ store: Store, _ models: [any Model.Type], _ migrations: [Migration],
            _ newerSchema: NewerSchema
        ) throws(ObjectError) {
            program = try ProgramSchema(models, migrations, in: store)
            let schema = try ObjectError.whileScanning {
                try store.read { snapshot in try SchemaTree.read(snapshot) }
            }
            do {
                known = Known(bindings: try program.update(store, from: schema), isNewer: false)
            } catch {
                guard error.code == .schemaChanged, newerSchema == .readOnly else { throw error }
                known = Known(bindings: try program.bindings(in: schema), isNewer: true)
            }
        }
    }

    /// What happens if a newer program has changed the schema.
    public enum NewerSchema: Sendable {
        /// Opening, reading and writing throw `schemaChanged`.
        case refuse
        /// Objects can be read, but not written, if everything that the program's models declare
        /// still exists with the same types; otherwise opening and reading throw `schemaChanged`.
        case readOnly
    }

    /// Opens a store of objects, or creates it if there is none.
    ///
    /// Opening also makes those changes of the schema that need no migration, for example new
    /// models, indexes and names, and new properties that have a value for existing objects.
    ///
    /// - Parameters:
    ///   - path: where the store's file is.
    ///   - key: the key of an encrypted store.
    ///   - options: the store's options.
    ///   - models: all models that the program uses, and all that they link to.
    ///   - migrations: all migrations that there have ever been: an older store may still need
    ///     them.
    ///   - newerSchema: what happens if a newer program has changed the schema, before or after the
    ///     opening.
    /// - Throws: `migrationNeeded`, `schemaChanged`, `invalidModel`; `duplicateValue` if a new
    ///   index is unique but its values are not; what a migration throws. After any of these, the
    ///   store is unchanged. Also `damaged`; `store`, with the store's error.
    /// - Complexity: one read of each object of a model that gets an index, and two writes of each
    ///   object of a model that is migrated.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions(),
        models: any Model.Type..., migrations: [Migration] = [],
        ifNewer newerSchema: NewerSchema = .refuse
    ) throws(ObjectError) -> ObjectDatabase {
        let store = try ObjectError.ofStore { () throws(BullaError) in
            try Store.open(at: path, key: key, options: options)
        }
        return try ObjectDatabase(
            store, models: models, migrations: migrations, ifNewer: newerSchema)
    }

    /// Opens the objects of a store that is already open.
    ///
    /// - Throws, Complexity: as ``open(at:key:options:models:migrations:ifNewer:)``.
    public convenience init(
        _ store: Store, models: [any Model.Type], migrations: [Migration] = [],
        ifNewer newerSchema: NewerSchema = .refuse
    ) throws(ObjectError) {
        let opened = try Opened(store, models, migrations, newerSchema)
        self.init(store, opened, newerSchema, in: nil)
    }

    init(
        _ store: Store, _ opened: Opened, _ newerSchema: NewerSchema, in folder: TemporaryFolder?
    ) {
        (self.store, self.newerSchema, self.folder) = (store, newerSchema, folder)
        program = opened.program
        known = Mutex(opened.known)
    }

    /// A description of what the store holds, as this database knows it.
    public var schema: DatabaseSchema { known.withLock { $0.bindings.tables.schema } }

    /// Removes from all objects the properties that their models no longer have.
    ///
    /// Open snapshots stay as they were, and streams end with `schemaChanged`.
    ///
    /// - Returns: whether there was anything to remove.
    /// - Throws: `schemaChanged`, `store`; after either, the store is unchanged.
    /// - Complexity: two writes of each object of each model that had such a property.
    @discardableResult
    public func pruneSchema() throws(ObjectError) -> Bool {
        let former = known.withLock { $0.bindings }
        let bindings = try program.update(store, from: former.tables.schema, isPruning: true)
        guard bindings.generation != former.generation else { return false }
        known.withLock { $0 = Known(bindings: bindings, isNewer: false) }
        return true
    }

    /// Reads the newest commit that `visibility` allows.
    ///
    /// - Throws: what `body` throws; `schemaChanged` if another program has changed the schema, and
    ///   it no longer matches the models; `store`.
    public func read<R>(
        visibility: SnapshotVisibility = .durable, _ body: (borrowing ObjectSnapshot) throws -> R
    ) throws -> R {
        try body(makeSnapshot(visibility: visibility))
    }

    /// A snapshot of the commit that is now the newest of those that `visibility` allows.
    ///
    /// - Throws: as ``read(visibility:_:)``.
    public func makeSnapshot(
        visibility: SnapshotVisibility = .durable
    ) throws(ObjectError) -> ObjectSnapshot {
        let snapshot = try ObjectError.ofStore { () throws(BullaError) in
            try store.makeSnapshot(visibility: visibility)
        }
        let bindings = try look(at: snapshot).bindings
        return ObjectSnapshot(snapshot, bindings)
    }

    /// Changes objects: applies everything that `body` does, or nothing if it throws.
    ///
    /// - Throws: what `body` throws; `schemaChanged`; `readOnly` if a newer program has changed the
    ///   schema, and the database can only read; `store`, with the store's error.
    @discardableResult
    public func write<R>(
        durability: Durability = .full, _ body: (inout ObjectTransaction) throws -> R
    ) throws -> R {
        let transaction = try ObjectError.ofStore { () throws(BullaError) in
            try store.beginWrite(durability: durability)
        }
        let known = try look(at: transaction)
        guard !known.isNewer else {
            throw ObjectError(
                .readOnly,
                "write \(store.path): a newer program has changed its schema, so this database can "
                    + "only read")
        }
        var objects = ObjectTransaction(transaction, known.bindings)
        let result = try body(&objects)
        try objects.commit()
        return result
    }

    /// What the database knows of the schema that `reader` sees; if another program has changed the
    /// schema, the call first reads it again.
    private func look<Reader: TreeReader & ~Copyable>(
        at reader: borrowing Reader
    ) throws(ObjectError) -> Known {
        let generation = try SchemaTree.generation(reader)
        let former = known.withLock { $0 }
        guard generation != former.bindings.generation else { return former }
        let found = try known(SchemaTree.read(reader))
        if generation > former.bindings.generation { known.withLock { $0 = found } }
        return found
    }

    private func known(_ schema: DatabaseSchema) throws(ObjectError) -> Known {
        if let bindings = program.currentBindings(in: schema) {
            return Known(bindings: bindings, isNewer: false)
        }
        guard newerSchema == .readOnly else {
            throw ObjectError(
                .schemaChanged,
                "use \(store.path): another program has changed the schema to generation "
                    + "\(schema.generation), and to models that are not this program's")
        }
        return Known(bindings: try program.bindings(in: schema), isNewer: true)
    }
}
