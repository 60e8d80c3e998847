/// The right to write: ends by publishing, or by going away.
struct WriterTurn: ~Copyable {
    let core: StoreCore
    let changes: LogChanges
    private var isEnded = false
    /// Whether a change failed half-way, so that the tree in memory is no tree any more.
    var isBroken = false

    /// Becomes the writer.
    init(_ core: StoreCore) throws(BullaError) {
        self.core = core
        changes = try StoreCommit(core: core).begin()
    }

    deinit {
        if !isEnded { StoreCommit(core: core).abort(changes) }
    }

    /// Runs a change.
    ///
    /// When it fails half-way, the transaction can only be dropped, or put back to a savepoint.
    ///
    /// - Parameter byteCount: of keys, values and names in the change.
    mutating func change<R>(
        adding byteCount: Int = 0, _ body: (LogChanges) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try checkWhole()
        try makeRoom(for: byteCount)
        if changes.direct == nil {
            // What the log is to say is said wholly or not at all.
            do throws(BullaError) { return try body(changes) } catch {
                guard error.code == .outOfMemory else { throw error }
                // There is no memory to index it.
                _ = try directChange()
            }
        }
        do throws(BullaError) {
            if let change = changes.direct {
                try ChangeSealing(change: change).relieveMemory(above: change.dirtyByteLimit)
            }
            return try body(changes)
        } catch {
            isBroken = true
            throw error
        }
    }

    /// Sees to it that the log has room for a change, or pages take it.
    ///
    /// - Parameter byteCount: of keys, values and names in the change.
    /// - Throws: what going direct throws; then nothing has changed.
    private func makeRoom(for byteCount: Int) throws(BullaError) {
        guard changes.direct == nil, !changes.hasRoom(for: byteCount) else { return }
        changes.hasOutgrownLog = true
        try DirectCommit(core: core).begin(changes)
    }

    /// The change of pages that the transaction is from here on.
    ///
    /// - Throws: as ``makeRoom(for:)``.
    func directChange() throws(BullaError) -> TreeChange {
        try checkWhole()
        if let change = changes.direct { return change }
        return try DirectCommit(core: core).begin(changes)
    }

    /// Sees to it that new trees get numbers from `number` on.
    mutating func numberTrees(from number: UInt64) throws(BullaError) {
        // No frame but that of a tree says so.
        let direct = try directChange()
        try change { _ throws(BullaError) in direct.numberTrees(from: number) }
    }

    /// Undoes what was changed since a savepoint.
    mutating func rollBack(to savepoint: LogChanges.Savepoint) {
        // Pages that were not changed yet are given up before what they stand on is undone.
        if case .log = savepoint { DirectCommit(core: core).leave(changes) }
        changes.rollBack(to: savepoint)
        isBroken = false
    }

    func checkWhole() throws(BullaError) {
        guard isBroken else { return }
        throw BullaError(
            .invalidArgument,
            "go on with a write to \(core.parts.path): an earlier change in it failed half-way; "
                + "begin anew, or make such changes in savepoints")
    }

    /// - Parameter durability: what the caller waits for afterwards.
    mutating func publish(_ durability: Durability) throws(BullaError) -> UInt64 {
        try checkWhole()
        isEnded = true
        return try StoreCommit(core: core).publish(changes, durability)
    }
}
