public import Bulla

/// The operations that wait for a disk or a lock, moved off the threads that tasks share.
extension SchemaDatabase {
    /// Opens an existing store of objects, without blocking the threads that tasks share.
    ///
    /// - Throws: as the synchronous form.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions()
    ) async throws(ObjectError) -> SchemaDatabase {
        try await ObjectDatabase.queue.run { () throws(ObjectError) -> SchemaDatabase in
            try SchemaDatabase.open(at: path, key: key, options: options)
        }
    }

    /// Reads the schema again, without blocking the threads that tasks share.
    ///
    /// - Throws: as the synchronous form.
    public func refresh() async throws(ObjectError) {
        try await ObjectDatabase.queue.run { () throws(ObjectError) in try self.refresh() }
    }

    /// Reads the newest commit that `visibility` allows, without blocking the threads that tasks
    /// share.
    ///
    /// - Throws: as the synchronous form.
    public func read<R: Sendable>(
        visibility: SnapshotVisibility = .durable,
        _ body: @escaping @Sendable (borrowing ObjectSnapshot) throws -> R
    ) async throws -> R {
        try await ObjectDatabase.queue.run { try self.read(visibility: visibility, body) }
    }

    /// Changes objects, without blocking the threads that tasks share.
    ///
    /// - Throws: as the synchronous form.
    @discardableResult
    public func write<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout ObjectTransaction) throws -> R
    ) async throws -> R {
        try await ObjectDatabase.queue.run { try self.write(durability: durability, body) }
    }
}
