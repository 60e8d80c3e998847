internal import Dispatch

extension WriteTransaction {
    /// Commits the transaction with the durability that it began with, without blocking the threads
    /// that tasks share.
    ///
    /// - Returns: the number of the commit, or of the newest commit if nothing was changed.
    /// - Throws: as the form that is not `async`.
    @discardableResult
    public consuming func commit() async throws(BullaError) -> UInt64 {
        let (durability, core) = (durability, access.core)
        let handed = HandedTurn(takeTurn())
        // A separate queue, because the store's queues may be waiting for this transaction.
        return try await DispatchQueue(label: "bulla.commit").run { () throws(BullaError) in
            let commit = try handed.publish(durability)
            try Settling(core: core).settle(commit, durability)
            return commit
        }
    }
}

/// Hands a transaction's turn to the thread that publishes the transaction.
private final class HandedTurn: @unchecked Sendable {
    // `@unchecked`: the transaction has given up the turn, and only one thread uses it afterwards.

    private var turn: WriterTurn?

    init(_ turn: consuming WriterTurn) { self.turn = consume turn }

    func publish(_ durability: Durability) throws(BullaError) -> UInt64 {
        guard var turn = turn.take() else {
            preconditionFailure("a turn that was handed over is used once")
        }
        return try turn.publish(durability)
    }
}
