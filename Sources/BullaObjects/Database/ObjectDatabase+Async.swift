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

    /// Reads the newest commit, without blocking the threads that tasks share.
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

    /// Where blocking work runs.
    static let queue = DispatchQueue(label: "bulla.objects", attributes: .concurrent)
}
