internal import Dispatch

/// The copies that are made of an open store, off the threads that tasks share.
extension Store {
    /// Writes a backup without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - path: where no file may be yet.
    ///   - anchor: the moment since which pages are backed up; `nil`: everything.
    ///   - progress: told how many pages were copied so far, now and then, on a background thread.
    /// - Throws: as the form that is not `async`.
    public func backup(
        to path: String, since anchor: Anchor? = nil,
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(BullaError) -> BackupReport {
        try await DispatchQueue(label: "bulla.backup").run { [self] () throws(BullaError) in
            try backup(to: path, since: anchor, progress: progress)
        }
    }

    /// Writes a dense copy without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - path: where no file may be yet.
    ///   - key: the copy's key; `nil` makes a plain copy.
    ///   - options: page size and suite of the copy; where they are `nil`, those of this store.
    ///   - progress: told how many entries were copied so far, now and then, on a background
    ///     thread.
    /// - Throws: as the form that is not `async`.
    public func compact(
        to path: String, key: StoreKey?, options: StoreOptions = StoreOptions(),
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(BullaError) {
        try await DispatchQueue(label: "bulla.compact").run { [self] () throws(BullaError) in
            try compact(to: path, key: key, options: options, progress: progress)
        }
    }
}
