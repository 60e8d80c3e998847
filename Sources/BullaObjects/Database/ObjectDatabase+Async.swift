public import Bulla
internal import Dispatch

/// The operations that wait for a disk or a lock, moved off the threads that tasks share.
extension ObjectDatabase {
    /// Opens a store of objects without blocking the threads that tasks share.
    ///
    /// - Throws, Complexity: as the synchronous form.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions(),
        models: any Model.Type..., migrations: [Migration] = [],
        ifNewer newerSchema: NewerSchema = .refuse
    ) async throws(ObjectError) -> ObjectDatabase {
        try await queue.run { () throws(ObjectError) -> ObjectDatabase in
            let store = try ObjectError.ofStore { () throws(BullaError) in
                try Store.open(at: path, key: key, options: options)
            }
            return try ObjectDatabase(
                store, models: models, migrations: migrations, ifNewer: newerSchema)
        }
    }

    /// Opens the objects of a store that is already open, without blocking the threads that tasks
    /// share.
    ///
    /// - Throws, Complexity: as the synchronous form.
    public convenience init(
        _ store: Store, models: [any Model.Type], migrations: [Migration] = [],
        ifNewer newerSchema: NewerSchema = .refuse
    ) async throws(ObjectError) {
        let opened = try await ObjectDatabase.queue.run { () throws(ObjectError) in
            try Opened(store, models, migrations, newerSchema)
        }
        self.init(store, opened, newerSchema, in: nil)
    }

    /// Removes from all objects the properties that their models no longer have, without blocking
    /// the threads that tasks share.
    ///
    /// - Returns: whether there was anything to remove.
    /// - Throws, Complexity: as the synchronous form.
    @discardableResult
    public func pruneSchema() async throws(ObjectError) -> Bool {
        try await Self.queue.run { () throws(ObjectError) in try self.pruneSchema() }
    }

    /// Reads the newest commit that `visibility` allows, without blocking the threads that tasks
    /// share.
    ///
    /// - Throws: as the synchronous form.
    public func read<R: Sendable>(
        visibility: SnapshotVisibility = .durable,
        _ body: @escaping @Sendable (borrowing ObjectSnapshot) throws -> R
    ) async throws -> R {
        try await Self.queue.run { try self.read(visibility: visibility, body) }
    }

    /// Changes objects, without blocking the threads that tasks share.
    ///
    /// - Throws: as the synchronous form.
    @discardableResult
    public func write<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout ObjectTransaction) throws -> R
    ) async throws -> R {
        try await Self.queue.run { try self.write(durability: durability, body) }
    }

    /// Creates a vault in the store, and makes the database use it, without blocking the threads
    /// that tasks share.
    ///
    /// - Parameters:
    ///   - name: the name by which models refer to it.
    ///   - keys: the keys, each of which opens it.
    ///   - lentByteLimit: as in ``openVault(named:key:lentByteLimit:)``.
    /// - Returns: the vault, for its counts, slots and failures.
    /// - Throws: as the synchronous form.
    @discardableResult
    public func createVault(
        named name: String, keys: [StoreKey], lentByteLimit: Int = Vault.defaultLentByteLimit
    ) async throws(ObjectError) -> Vault {
        let vault: Vault
        do throws(BullaError) {
            vault = try await store.createVault(
                named: name, keys: keys, lentByteLimit: lentByteLimit)
        } catch { throw ObjectError(error) }
        try await Self.queue.run { () throws(ObjectError) in try self.use(vault) }
        return vault
    }

    /// Opens a vault of the store, and makes the database use it, without blocking the threads that
    /// tasks share.
    ///
    /// - Parameters:
    ///   - name: the name by which models refer to it.
    ///   - key: a key that opens it.
    ///   - lentByteLimit: the maximum number of bytes of cleartext that the vault lends at a time,
    ///     to all closures together; the vault cannot open a longer object.
    /// - Returns: the vault.
    /// - Throws: as the synchronous form.
    @discardableResult
    public func openVault(
        named name: String, key: StoreKey, lentByteLimit: Int = Vault.defaultLentByteLimit
    ) async throws(ObjectError) -> Vault {
        let vault: Vault
        do throws(BullaError) {
            vault = try await store.openVault(named: name, key: key, lentByteLimit: lentByteLimit)
        } catch { throw ObjectError(error) }
        try await Self.queue.run { () throws(ObjectError) in try self.use(vault) }
        return vault
    }

    /// Where blocking work runs.
    static let queue = DispatchQueue(label: "bulla.objects", attributes: .concurrent)
}
