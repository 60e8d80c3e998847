/// Keeps a program's local data and a database the same.
///
/// The program tells the engine's ``state`` what it has changed, and the engine asks the delegate
/// for the records and sends them. It fetches what others have changed, and passes it to the
/// delegate. It remembers what was fetched and what is still to be sent; the program stores that
/// state whenever an event brings it, and passes it back at the next launch.
///
/// ```swift
/// let configuration = CKSyncEngine.Configuration(
///     database: container.privateCloudDatabase, stateSerialization: savedState, delegate: notes)
/// let engine = CKSyncEngine(configuration)
/// engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.recordID)])
/// ```
///
/// It works on private and shared databases. The delegate gets one event at a time. Until a user
/// has signed in, the engine syncs nothing. If the user signs out, or a user other than the one in
/// its state signs in, the engine tells the delegate so, and forgets its state.
public final class CKSyncEngine: Sendable {
    /// What an engine works on.
    public struct Configuration: Sendable {
        /// The private or the shared database of a container.
        public var database: CKDatabase
        /// The last state that the delegate got; `nil` to begin anew.
        public var stateSerialization: State.Serialization?
        /// The program's delegate, which the engine does not retain.
        public weak var delegate: (any CKSyncEngineDelegate)?
        /// Whether the engine syncs by itself: soon after a change was added to its state, and
        /// after any process has changed the container.
        public var automaticallySync = true

        /// A configuration for automatic sync.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?,
            delegate: any CKSyncEngineDelegate
        ) {
            (self.database, self.stateSerialization) = (database, stateSerialization)
            self.delegate = delegate
        }
    }

    /// The database.
    public var database: CKDatabase { configuration.database }
    /// What the engine has fetched, and what it still has to send.
    public let state: State
    let configuration: Configuration
    private let queue = SyncQueue()
    private let schedule: SyncSchedule

    /// An engine; with automatic sync, it begins to sync at once.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        state = State(configuration.stateSerialization)
        schedule = SyncSchedule(configuration.database)
        state.whenChanged { [weak self] in self?.noteChange() }
        guard configuration.automaticallySync else { return }
        schedule.begin { [weak self] () async throws(CKError) in
            try await self?.syncBySchedule()
        }
    }

    deinit { schedule.end() }

    /// Fetches what others have changed, and passes it to the delegate.
    ///
    /// - Parameter options: which zones to fetch.
    /// - Throws: ``CKError``: `notAuthenticated`; `badDatabase` for the public database;
    ///   `operationCancelled`; `invalidArguments` while the delegate handles an event; the errors
    ///   of ``CKDatabase/databaseChanges(since:resultsLimit:)``; the first error after which a zone
    ///   has to be fetched again.
    public func fetchChanges(
        _ options: FetchChangesOptions = FetchChangesOptions()
    ) async throws {
        let context = FetchChangesContext(reason: .manual, options: options)
        try await queue.run { [self] () async throws(CKError) in
            try await SyncFetch.run(self, context)
        }
    }

    /// Sends the pending changes: zones first, then batches of records that the delegate gives.
    ///
    /// A change stays pending if it failed for a temporary reason, or only because another change
    /// of its batch failed. After any other failure it is no longer pending. The delegate gets the
    /// error, and may add the change again.
    ///
    /// - Parameter options: which changes to send.
    /// - Throws: ``CKError``: `notAuthenticated`; `badDatabase` for the public database;
    ///   `operationCancelled`; `invalidArguments` while the delegate handles an event; the first
    ///   temporary error. Errors of single changes come as events.
    public func sendChanges(
        _ options: SendChangesOptions = SendChangesOptions()
    ) async throws {
        let context = SendChangesContext(reason: .manual, options: options)
        try await queue.run { [self] () async throws(CKError) in
            try await SyncSend.run(self, context)
        }
    }

    /// Cancels the engine's operations, running and waiting, and returns when they have ended.
    ///
    /// If the delegate calls this while it handles an event, the call returns at once. A batch that
    /// was already sent may still be committed; then its event still comes. With automatic sync,
    /// the engine goes on at the next change.
    public func cancelOperations() async { await queue.cancel() }

    private func syncBySchedule() async throws(CKError) {
        try await queue.run { [self] () async throws(CKError) in
            var failure: CKError?
            do throws(CKError) {
                try await SyncFetch.run(self, FetchChangesContext(reason: .scheduled))
            } catch { failure = error }
            // A failed fetch is no reason to hold changes back.
            if state.hasPendingChanges, state.user != nil {
                try await SyncSend.run(self, SendChangesContext(reason: .scheduled))
            }
            if let failure { throw failure }
        }
    }

    /// Tells the delegate to store the state that the program has changed: one event covers all
    /// changes made until it is sent.
    private func noteChange() {
        schedule.wake()
        guard state.beginTelling() else { return }
        // Detached: the delegate may change the state while it handles an event, and the engine's
        // queue would refuse this operation if it came from the task that handles the event.
        Task.detached { [weak self] in
            guard let self else { return }
            try? await queue.run { [self] () async throws(CKError) in await tellState() }
        }
    }
}

/// What fetching and sending have in common.
extension CKSyncEngine {
    /// Calls the delegate in a new task, and waits for it.
    ///
    /// After this returns, the engine assumes that the delegate has handled the call. So the task
    /// must run to its end: cancelling the engine's operation does not cancel the task.
    func ask<R: Sendable>(
        _ body: @escaping @Sendable (any CKSyncEngineDelegate, CKSyncEngine) async -> R
    ) async -> R? {
        guard let delegate = configuration.delegate else { return nil }
        return await Task { await body(delegate, self) }.value
    }

    func tell(_ event: Event) async { await ask { await $0.handleEvent(event, syncEngine: $1) } }

    func tellState() async {
        await tell(.stateUpdate(Event.StateUpdate(stateSerialization: state.told())))
    }

    /// Checks that the engine can sync the database, and tells the delegate if the user has
    /// changed.
    ///
    /// - Returns: the database, for the user who is signed in now.
    func userDatabase() async throws(CKError) -> CKDatabase {
        try checkCancellation()
        guard database.databaseScope != .public else {
            throw CKError(.badDatabase, "sync a database: the public one has no changes to follow")
        }
        switch try database.opened().presence {
        case .user(let user):
            await begin(for: user)
            return database.pinned(to: user)
        case .nobody: await begin(for: nil)
        case .unknown: break
        }
        throw CKError(.notAuthenticated, "sync a database: nobody has signed in")
    }

    private func begin(for user: String?) async {
        let former = state.user
        guard user != former else { return }
        state.begin(for: user)
        await tell(.accountChange(Event.AccountChange(from: former, to: user)))
        await tellState()
    }

    func checkCancellation() throws(CKError) {
        guard !Task.isCancelled else {
            throw CKError(.operationCancelled, "sync a database: it was cancelled")
        }
    }
}

extension CKError {
    /// Whether the error is temporary: if so, the change stays pending, and automatic sync tries
    /// again.
    var isPassing: Bool {
        switch code {
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable,
            .requestRateLimited, .notAuthenticated, .operationCancelled, .badContainer,
            .accountTemporarilyUnavailable, .serverResponseLost:
            true
        default: false
        }
    }
}
