extension Store {
    /// Reads and verifies every page of the newest durable commit, and the log, which holds the
    /// changes that are in no page yet.
    ///
    /// The call verifies each page's seal or checksum, its structure and the order of its keys, the
    /// counts of each tree, and that each page of the file belongs to exactly one thing. Writers
    /// can go on writing meanwhile.
    ///
    /// - Parameters:
    ///   - progress: receives the progress in pages from time to time, and can stop the check by
    ///     throwing.
    /// - Returns: what was found; defects are not thrown.
    /// - Throws: what `progress` throws; `closed`, `usedAfterFork`, `readersFull`, `busy`,
    ///   `outOfMemory` or `io` if the check cannot be carried out; `snapshotExpired` if writers
    ///   needed the commit's pages meanwhile (``StoreOptions/snapshotCommitLimit``).
    /// - Complexity: one pass over all pages, with one bit of memory for each.
    public func check(
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) -> CheckReport {
        let entry = try core.entrance.enter()
        defer { core.entrance.leave(entry) }
        let pinned = try PinnedRecord(core)
        var check = try StoreCheck(core.pager, pinned.record, progress: progress)
        try check.run(over: pinned.snapshot)
        return check.report
    }

    /// Reads and verifies every page of the newest commit, even if the store is too damaged to
    /// open.
    ///
    /// The call writes no byte of the store and recovers nothing. If other processes have the store
    /// open, the call checks their newest durable commit. If no process has the store open, and it
    /// was closed cleanly, others can open it meanwhile. After a crash, the check keeps writers out
    /// while it runs: a process that wants to write waits, then gets `busy` with the reason.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: its key.
    ///   - timeout: how long to wait for a process that is opening or closing the store.
    ///   - progress: receives the progress in pages from time to time, and can stop the check by
    ///     throwing.
    /// - Returns: what was found; defects are not thrown, as long as the header and the keyring
    ///   each have one good copy.
    /// - Throws: what `progress` throws; what opening throws for keys and formats; `corrupted` when
    ///   both copies of the header or the keyring are damaged; `busy`, `io`, `readersFull`,
    ///   `outOfMemory`; `snapshotExpired` if writers that have the store open needed the commit's
    ///   pages meanwhile.
    /// - Note: end a `do` around this call with a plain `catch`; ``BullaError`` says why.
    /// - Complexity: one pass over all pages, with one bit of memory for each.
    public static func check(
        at path: String, key: StoreKey? = nil, timeout: Duration = .seconds(30),
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) -> CheckReport {
        try check(
            at: path, key: key, storage: SystemStorage(), timeout: timeout, progress: progress)
    }

    /// Checks a store whose files may be simulated.
    package static func check(
        at path: String, key: StoreKey?, storage: any StorageSystem,
        timeout: Duration = .seconds(30),
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) -> CheckReport {
        try StoreInspection(path, key, storage, timeout: timeout).check(progress: progress)
    }
}
