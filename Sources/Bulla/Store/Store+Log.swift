/// The log of a store that has one.
extension Store {
    /// Takes over into the trees what the log says; nothing that a reader can see changes.
    ///
    /// - Returns: whether there was anything to take over.
    /// - Throws: `busy` where somebody else changes the trees for the whole timeout; `full`, `io`:
    ///   then nothing has changed, and the log says it still.
    @discardableResult
    package func checkpoint() throws(BullaError) -> Bool {
        try core.use { () throws(BullaError) in try core.checkpoint() }
    }

    /// What commits to the log, and what is known of it; `nil` without a log.
    package var log: (shared: SharedLog, memtables: LogMemtables)? {
        core.log.map { ($0.shared, $0.memtables) }
    }
}
