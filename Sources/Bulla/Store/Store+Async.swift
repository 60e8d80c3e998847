internal import Dispatch

/// The async form of closing, which waits on a thread that tasks do not share.
///
/// In an async function, the compiler chooses this form, and the call needs `await`.
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
