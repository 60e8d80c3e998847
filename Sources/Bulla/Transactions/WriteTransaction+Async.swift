internal import Dispatch

extension WriteTransaction {
    /// Makes the change seen, and durable as was asked when it began, without blocking the threads
    /// that tasks share.
    ///
    /// - Returns: the commit's number; the newest commit's where nothing was changed.
    /// - Throws: as the form that is not `async`.
    @discardableResult
    public consuming func commit() async throws(BullaError) -> UInt64 {
        let (durability, core) = (durability, access.core)
        let handed = HandedTurn(takeTurn())
        // A queue of its own: those of the store may be waiting for this very transaction.
        return try await DispatchQueue(label: "bulla.commit").run { () throws(BullaError) in
            let commit = try handed.publish(durability)
            try Settling(core: core).settle(commit, durability)
            return commit
        }
    }
}

/// A transaction's turn on its way to the thread that ends it.
private final class HandedTurn: @unchecked Sendable {
    // `@unchecked`: made from a turn that its owner has given up, and used once.

    private var turn: WriterTurn?

    init(_ turn: consuming WriterTurn) { self.turn = consume turn }

    func publish(_ durability: Durability) throws(BullaError) -> UInt64 {
        guard var turn = turn.take() else {
            preconditionFailure("a turn that was handed over is used once")
        }
        return try turn.publish(durability)
    }
}
