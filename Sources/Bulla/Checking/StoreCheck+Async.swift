internal import Dispatch

/// Checks of a whole store that do not run on the threads that tasks share.
extension Store {
    /// Checks an open store without blocking the threads that tasks share.
    ///
    /// - Parameter progress: receives the progress in pages from time to time, on a background
    ///   thread, and can stop the check by throwing.
    /// - Returns: what was found; defects are not thrown.
    /// - Throws: as the form that is not `async`; `cancelled` soon after the task is cancelled.
    public func check(
        progress: (@Sendable (TaskProgress) throws(BullaError) -> Void)? = nil
    ) async throws(BullaError) -> CheckReport {
        try await DispatchQueue(label: "bulla.check").run(reporting: progress) {
            [self] report throws(BullaError) in
            try check(progress: report)
        }
    }

    /// Checks a store that may be too damaged to open, without blocking the threads that tasks
    /// share.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: its key.
    ///   - timeout: how long to wait for a process that is opening or closing the store.
    ///   - progress: receives the progress in pages from time to time, on a background thread, and
    ///     can stop the check by throwing.
    /// - Returns: what was found; defects are not thrown, as long as the header and the keyring
    ///   each have one good copy.
    /// - Throws: as the form that is not `async`; `cancelled` soon after the task is cancelled.
    public static func check(
        at path: String, key: StoreKey? = nil, timeout: Duration = .seconds(30),
        progress: (@Sendable (TaskProgress) throws(BullaError) -> Void)? = nil
    ) async throws(BullaError) -> CheckReport {
        try await DispatchQueue(label: "bulla.check").run(reporting: progress) {
            report throws(BullaError) in
            try check(at: path, key: key, timeout: timeout, progress: report)
        }
    }
}
