/// The right to write; it ends when the transaction's changes are published, or when this is
/// destroyed.
///
/// Changes go to the log. If the log has no room for one, the transaction goes direct: from then on
/// it changes the trees' pages itself.
struct WriterTurn: ~Copyable {
    let core: StoreCore
    let changes: LogChanges
    private var isEnded = false
    /// Whether a change failed half-way; the tree that it changed is then invalid in memory.
    var isBroken = false

    /// Waits for the writer lock, and becomes the writer.
    init(_ core: StoreCore) throws(BullaError) {
        self.core = core
        changes = try StoreCommit(core: core).begin()
    }

    deinit {
        if !isEnded { StoreCommit(core: core).abort(changes) }
    }

    /// Runs a change.
    ///
    /// If it fails half-way, the transaction can only be discarded, or return to a savepoint.
    ///
    /// - Parameter byteCount: how many bytes of keys, values and names the change has.
    mutating func change<R>(
        adding byteCount: Int = 0, _ body: (LogChanges) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try checkWhole()
        try makeRoom(for: byteCount)
        if changes.direct == nil {
            // A change for the log is recorded completely or not at all.
            do throws(BullaError) { return try body(changes) } catch {
                guard error.code == .outOfMemory else { throw error }
                // There is no memory for the index of the log, so change the pages instead.
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

    /// Makes the transaction go direct if the log has no room for a change.
    ///
    /// - Parameter byteCount: how many bytes of keys, values and names the change has.
    /// - Throws: what going direct throws; in that case nothing has changed.
    private func makeRoom(for byteCount: Int) throws(BullaError) {
        guard changes.direct == nil, !changes.hasRoom(for: byteCount) else { return }
        changes.hasOutgrownLog = true
        try DirectCommit(core: core).begin(changes)
    }

    /// The transaction's direct change; makes the transaction go direct first, unless it goes
    /// direct already.
    ///
    /// - Throws: `invalidArgument` if an earlier change failed halfway; otherwise what going direct
    ///   throws, and then nothing has changed.
    func directChange() throws(BullaError) -> TreeChange {
        try checkWhole()
        if let change = changes.direct { return change }
        return try DirectCommit(core: core).begin(changes)
    }

    /// Ensures that no new tree gets a number below `number` from now on.
    mutating func numberTrees(from number: UInt64) throws(BullaError) {
        // Only the root frame, which a direct commit adds to the log, can record this number.
        let direct = try directChange()
        try change { _ throws(BullaError) in direct.numberTrees(from: number) }
    }

    /// Undoes the changes since a savepoint.
    mutating func rollBack(to savepoint: LogChanges.Savepoint) {
        // If the savepoint was begun before the transaction went direct, first drop the changed
        // pages, and then undo the changes drafted for the log.
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

    /// - Parameter durability: the durability that the caller waits for afterwards.
    mutating func publish(_ durability: Durability) throws(BullaError) -> UInt64 {
        try checkWhole()
        isEnded = true
        return try StoreCommit(core: core).publish(changes, durability)
    }
}
