/// The right to write: ends by publishing, or by going away.
struct WriterTurn: ~Copyable {
    let core: StoreCore
    let changes: TransactionChanges
    private var isEnded = false
    /// Whether a change failed half-way, so that the tree in memory is no tree any more.
    var isBroken = false

    init(_ core: StoreCore, _ changes: TransactionChanges) {
        self.core = core
        self.changes = changes
    }

    deinit {
        guard !isEnded else { return }
        switch changes {
        case .pages(let state): core.abort(state)
        case .log(let changes): core.abort(changes)
        }
    }

    /// Sees to it that a change has the memory that it needs, or the log has room for it.
    ///
    /// - Parameter byteCount: of keys, values and names in the change.
    func makeRoom(for byteCount: Int) throws(BullaError) {
        if let state = changes.state {
            try state.relieveMemory(above: state.dirtyByteLimit)
        } else if case .log(let log) = changes, !log.hasRoom(for: byteCount) {
            try core.goDirect(log)
        }
    }

    /// The pages that the transaction changes from here on.
    mutating func pages() throws(BullaError) -> WriteState {
        try checkWhole()
        if case .log(let log) = changes, log.direct == nil {
            do throws(BullaError) { try core.goDirect(log) } catch {
                isBroken = true
                throw error
            }
        }
        guard let state = changes.state else { preconditionFailure("pages are changed now") }
        return state
    }

    /// Undoes what was changed since a savepoint.
    mutating func rollBack(to savepoint: TransactionChanges.Savepoint) {
        switch (savepoint, changes) {
        case (.pages(let savepoint), _): changes.state?.rollBack(to: savepoint)
        case (.log(let savepoint), .log(let log)):
            core.leaveDirect(log)
            log.rollBack(to: savepoint)
        case (.log, .pages): preconditionFailure("without a log pages are changed")
        }
        isBroken = false
    }

    func checkWhole() throws(BullaError) {
        guard isBroken else { return }
        throw BullaError(
            .invalidArgument,
            "go on with a write to \(core.parts.path): an earlier change in it failed half-way; "
                + "begin anew, or make such changes in savepoints")
    }

    mutating func publish() throws(BullaError) -> UInt64 {
        try checkWhole()
        isEnded = true
        switch changes {
        case .pages(let state): return try core.publish(state)
        case .log(let changes): return try core.publish(changes)
        }
    }
}
