internal import Dispatch

/// Copies of an open store that are made off the threads that tasks share.
extension Store {
    /// Writes a backup without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - path: the backup's path, where no file may exist.
    ///   - anchor: the moment since which pages are backed up; `nil` backs up everything.
    ///   - progress: called from time to time, on a background thread, with the number of pages
    ///     copied so far.
    /// - Throws: as the synchronous form.
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
    ///   - path: the copy's path, where no file may exist.
    ///   - key: the copy's key; `nil` makes a plain copy.
    ///   - options: those of the copy; if its page size or cipher suite is `nil`, this store's is
    ///     used.
    ///   - progress: called from time to time, on a background thread, with the number of entries
    ///     copied so far.
    /// - Throws: as the synchronous form.
    public func compact(
        to path: String, key: StoreKey?, options: StoreOptions = StoreOptions(),
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(BullaError) {
        try await DispatchQueue(label: "bulla.compact").run { [self] () throws(BullaError) in
            try compact(to: path, key: key, options: options, progress: progress)
        }
    }
}
