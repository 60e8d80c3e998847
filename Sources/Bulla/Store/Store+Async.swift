internal import Dispatch

/// The verbs that wait for a disk or a lock, off the threads that tasks share.
///
/// Each does what the one of the same name does that is not `async`; in an async function `await`
/// it.
extension Store {
    /// Closes the store without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func close() async throws(BullaError) {
        try core.writerLock.checkTurn("close")
        try await DispatchQueue(label: "bulla.close").run { [core] () throws(BullaError) in
            try StoreClosing(core: core).close()
        }
    }

    /// Gives the store another key, without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func changeKey(to key: StoreKey) async throws(BullaError) {
        try core.writerLock.checkTurn()
        try await DispatchQueue(label: "bulla.key").run { [self] () throws(BullaError) in
            try self.changeKey(to: key)
        }
    }
}
