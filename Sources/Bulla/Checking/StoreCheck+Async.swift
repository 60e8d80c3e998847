internal import Dispatch

/// Checks of a whole store, which do not run on the threads that tasks share.
extension Store {
    /// Checks an open store without blocking the threads that tasks share.
    ///
    /// - Parameter progress: called from time to time, on a background thread, with the number of
    ///   pages verified so far.
    /// - Returns: what was found; defects are not thrown.
    /// - Throws: as the form that is not `async`.
    public func check(
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(BullaError) -> CheckReport {
        try await DispatchQueue(label: "bulla.check").run { [self] () throws(BullaError) in
            try check(progress: progress)
        }
    }

    /// Checks a store that may be too damaged to open, without blocking the threads that tasks
    /// share.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: its key.
    ///   - timeout: how long to wait for a process that is opening or closing the store.
    ///   - progress: called from time to time, on a background thread, with the number of pages
    ///     verified so far.
    /// - Returns: what was found; defects are not thrown, as long as the header and the keyring
    ///   each have one good copy.
    /// - Throws: as the form that is not `async`.
    public static func check(
        at path: String, key: StoreKey? = nil, timeout: Duration = .seconds(30),
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(BullaError) -> CheckReport {
        try await DispatchQueue(label: "bulla.check").run { () throws(BullaError) in
            try check(at: path, key: key, timeout: timeout, progress: progress)
        }
    }
}
