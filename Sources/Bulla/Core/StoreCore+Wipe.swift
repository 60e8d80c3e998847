internal import Synchronization

extension StoreCore {
    /// Leaves no plaintext and no key of the store in memory, whoever still holds the store, a
    /// snapshot, a cursor or a tree.
    ///
    /// To be called once, when the descriptor was given up and nobody is inside a verb: no span is
    /// lent, no frame is looked at, nothing is sealed or opened. Every verb throws before it comes
    /// here. A look that comes late all the same finds zeros and ciphers that refuse; no address
    /// goes away.
    ///
    ///     holder                   what it held
    ///     the ciphers              master secret, data and meta keys, contexts of libcrypto
    ///     the board, the metas     its keys, likewise; buffers
    ///     the log                  its board's keys, what it says
    ///     the pager                opened pages and values; the mapped file
    ///     memory of writers        changed pages, names, keys
    ///     dependents               secrets and ciphers of open vaults
    func wipe() {
        let dependents = dependents.withLock { dependents in
            defer { dependents.removeAll() }
            return dependents
        }
        for dependent in dependents { dependent.object?.endWithStore() }
        parts.ciphers.end()
        board.end()
        endLog()
        flusher.metas.wipe()
        pager.wipe()
        wipeIdleMemory()
    }
}
