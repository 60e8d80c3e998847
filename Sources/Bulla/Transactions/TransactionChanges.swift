/// What a write transaction has changed so far.
enum TransactionChanges {
    /// Pages, in a store without a log.
    case pages(WriteState)
    /// What the log is to say; or pages, where that is too much for it.
    case log(LogChanges)

    /// The pages that it changes; `nil` where the log is to say it.
    @inline(__always)
    var state: WriteState? {
        switch self {
        case .pages(let state): state
        case .log(let changes): changes.direct
        }
    }

    /// What takes the next change.
    @inline(__always)
    var target: TransactionChanges { state.map { .pages($0) } ?? self }

    /// Whether it was committed or given up.
    var isEnded: Bool {
        switch self {
        case .pages(let state): state.isEnded
        case .log(let changes): changes.isEnded
        }
    }

    /// A tree that the transaction has opened, as it is by now.
    @inline(__always)
    func tree(_ index: Int) -> WriteState.OpenTree {
        switch self {
        case .pages(let state): state.trees[index]
        case .log(let changes): changes.direct?.trees[index] ?? changes.trees[index]
        }
    }
}

extension TransactionChanges {
    /// A moment that it can be put back to.
    enum Savepoint {
        case pages(Bulla.Savepoint)
        case log(LogChanges.Savepoint)
    }

    func beginSavepoint() throws(BullaError) -> Savepoint {
        if let state { return .pages(state.beginSavepoint()) }
        guard case .log(let changes) = self else {
            preconditionFailure("without a log pages are changed")
        }
        return .log(try changes.beginSavepoint())
    }

    /// Lets what was changed since stand.
    func end(_ savepoint: Savepoint) {
        if case .pages(let savepoint) = savepoint { state?.endSavepoint(savepoint) }
    }
}
