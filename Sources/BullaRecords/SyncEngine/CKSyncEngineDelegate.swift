/// The program's side of a ``CKSyncEngine``.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Handles an event; the engine waits until this returns.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async
    /// The next records to save and to delete; `nil` if there are no more in the context's scope.
    ///
    /// The engine asks again until this returns `nil` or an empty batch.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?
    /// The options for a fetch that is about to begin; by default those of the context.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// The options of the context.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
