internal import Dispatch

/// Async forms of verbs that wait for a disk or a lock; they wait on threads that tasks do not
/// share.
///
/// Each does the same as the form that is not `async`. In an async function, the compiler chooses
/// this form, and the call needs `await`. Those of keys, copies, checks and vaults stand in the
/// files of their subjects.
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
}
