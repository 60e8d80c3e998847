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

    /// Becomes the writer.
    init(_ core: StoreCore) throws(BullaError) {
        if let log = core.log {
            self.init(core, .log(try core.beginChanges(log)))
        } else {
            self.init(core, .pages(try core.beginWrite()))
        }
    }

    deinit {
        guard !isEnded else { return }
        switch changes {
        case .pages(let state): core.abort(state)
        case .log(let changes): core.abort(changes)
        }
    }

    /// Sees to it that the log has room for a change, or pages take it.
    ///
    /// - Parameter byteCount: of keys, values and names in the change.
    /// - Throws: what going direct throws; then nothing has changed.
    func makeRoom(for byteCount: Int) throws(BullaError) {
        guard case .log(let log) = changes, log.direct == nil, !log.hasRoom(for: byteCount) else {
            return
        }
        log.hasOutgrownLog = true
        try core.goDirect(log)
    }

    /// The pages that the transaction changes from here on.
    ///
    /// - Throws: as ``makeRoom(for:)``.
    func pages() throws(BullaError) -> WriteState {
        try checkWhole()
        switch changes {
        case .pages(let state): return state
        case .log(let log):
            if let state = log.direct { return state }
            return try core.goDirect(log)
        }
    }

    /// Runs a change: of what the log is to say; or of pages, also where there is no memory to
    /// index it for the log.
    func run<R>(
        _ body: (TransactionChanges) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        if let state = changes.state {
            try state.relieveMemory(above: state.dirtyByteLimit)
            return try body(changes)
        }
        do throws(BullaError) { return try body(changes) } catch {
            // Then nothing has changed.
            guard error.code == .outOfMemory else { throw error }
            _ = try pages()
            return try body(changes)
        }
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

    /// - Parameter durability: that is waited for after it.
    mutating func publish(_ durability: Durability) throws(BullaError) -> UInt64 {
        try checkWhole()
        isEnded = true
        switch changes {
        case .pages(let state): return try core.publish(state)
        case .log(let changes): return try core.publish(changes, durability)
        }
    }
}
