internal import Bulla

/// Savepoints.
extension ObjectTransaction {
    /// Runs `body`; if `body` throws, undoes only the changes that `body` has made, and the
    /// transaction goes on.
    ///
    /// Savepoints can be nested.
    ///
    /// - Throws: what `body` throws; `store`.
    @discardableResult
    public mutating func withSavepoint<R>(
        _ body: (inout ObjectTransaction) throws -> R
    ) throws -> R {
        try withStoreSavepoint { transaction, bindings in
            var objects = ObjectTransaction(transaction, bindings)
            let result = Result { try body(&objects) }
            transaction = objects.end()
            return try result.get()
        }
    }
}
