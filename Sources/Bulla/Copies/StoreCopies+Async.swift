internal import Dispatch

/// Backups, restores and other copies, which do not run on the threads that tasks share.
extension Store {
    /// Writes a backup without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - path: the backup's path, where no file may exist.
    ///   - anchor: names a commit; only what came after it is backed up. `nil` backs up everything.
    ///   - progress: receives the progress in pages from time to time, on a background thread, and
    ///     stops the backup by throwing.
    /// - Throws: as the synchronous form; `cancelled` soon after the task is cancelled.
    public func backup(
        to path: String, since anchor: Anchor? = nil,
        progress: (@Sendable (TaskProgress) throws(BullaError) -> Void)? = nil
    ) async throws(BullaError) -> BackupReport {
        try await DispatchQueue(label: "bulla.backup").run(reporting: progress) {
            [self] report throws(BullaError) in
            try backup(to: path, since: anchor, progress: report)
        }
    }

    /// Writes a dense copy without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - path: the copy's path, where no file may exist.
    ///   - key: the copy's key; `nil` makes a plain copy.
    ///   - options: the copy's options. Where they leave the page size or the cipher suite `nil`,
    ///     the copy gets this store's.
    ///   - progress: receives the progress in entries from time to time, on a background thread,
    ///     and stops the copy by throwing.
    /// - Throws: as the synchronous form; `cancelled` soon after the task is cancelled.
    public func compact(
        to path: String, key: StoreKey?, options: StoreOptions = StoreOptions(),
        progress: (@Sendable (TaskProgress) throws(BullaError) -> Void)? = nil
    ) async throws(BullaError) {
        try await DispatchQueue(label: "bulla.compact").run(reporting: progress) {
            [self] report throws(BullaError) in
            try compact(to: path, key: key, options: options, progress: report)
        }
    }

    /// Makes a store from backups without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - backups: the whole one first, then each incremental one, in the order of their commits.
    ///   - path: where no file exists yet.
    ///   - key: the key that the store had when the last backup was made.
    ///   - progress: receives the progress in pages from time to time, on a background thread, and
    ///     stops the restore by throwing.
    /// - Throws: as the synchronous form; `cancelled` soon after the task is cancelled.
    @discardableResult
    public static func restore(
        from backups: [String], to path: String, key: StoreKey? = nil,
        progress: (@Sendable (TaskProgress) throws(BullaError) -> Void)? = nil
    ) async throws(BullaError) -> RestoreReport {
        try await DispatchQueue(label: "bulla.restore").run(reporting: progress) {
            report throws(BullaError) in
            try restore(from: backups, to: path, key: key, progress: report)
        }
    }

    /// Writes what still verifies in a damaged store into a new one, without blocking the threads
    /// that tasks share.
    ///
    /// - Parameters:
    ///   - path: the damaged store.
    ///   - target: where no file exists yet.
    ///   - key: the key of the damaged store, and of the new one.
    ///   - timeout: how long to wait for a process that is opening or closing the damaged store.
    ///   - progress: receives the progress in pages from time to time, on a background thread, and
    ///     stops the salvage by throwing.
    /// - Returns: how much was kept, and what was lost.
    /// - Throws: as the synchronous form; `cancelled` soon after the task is cancelled.
    public static func salvage(
        from path: String, to target: String, key: StoreKey? = nil,
        timeout: Duration = .seconds(30),
        progress: (@Sendable (TaskProgress) throws(BullaError) -> Void)? = nil
    ) async throws(BullaError) -> SalvageReport {
        try await DispatchQueue(label: "bulla.salvage").run(reporting: progress) {
            report throws(BullaError) in
            try salvage(from: path, to: target, key: key, timeout: timeout, progress: report)
        }
    }
}
