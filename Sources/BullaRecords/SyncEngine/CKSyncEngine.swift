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
/// It works on private and shared databases. All events come one after the other. If another user
/// signs in, the engine says so, and forgets its state.
public final class CKSyncEngine: Sendable {
    /// What an engine works on.
    public struct Configuration: Sendable {
        /// The private or the shared database of a container.
        public var database: CKDatabase
        /// The last state that the delegate got; `nil` to begin anew.
        public var stateSerialization: State.Serialization?
        /// The program's side; the engine does not retain it.
        public weak var delegate: (any CKSyncEngineDelegate)?
        /// Whether the engine syncs by itself: soon after a change was added to its state, and
        /// after anybody has changed the container.
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
    /// What is still to be sent and to be fetched.
    public let state: State
    let configuration: Configuration
    private let queue = SyncQueue()
    private let schedule: SyncSchedule

    /// An engine; with automatic sync, it begins at once.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        state = State(configuration.stateSerialization)
        schedule = SyncSchedule(configuration.database)
        guard configuration.automaticallySync else { return }
        state.whenAdded { [schedule] in schedule.wake() }
        schedule.begin { [weak self] () async throws(CKError) in
            try await self?.syncBySchedule()
        }
    }

    deinit { schedule.end() }

    /// Fetches what others have changed, and passes it to the delegate.
    ///
    /// Do not call it while the delegate handles an event: it waits for the end of that.
    ///
    /// - Parameter options: which zones to fetch.
    /// - Throws: ``CKError``: `notAuthenticated`; `badDatabase` for the public database;
    ///   `operationCancelled`; `serviceUnavailable` and others of
    ///   ``CKDatabase/databaseChanges(since:resultsLimit:)``. Errors of single zones are events.
    public func fetchChanges(
        _ options: FetchChangesOptions = FetchChangesOptions()
    ) async throws {
        let context = FetchChangesContext(reason: .manual, options: options)
        try await queue.run { [self] () async throws(CKError) in
            try await SyncFetch(self).run(context)
        }
    }

    /// Sends the pending changes: zones first, then batches of records that the delegate gives.
    ///
    /// Do not call it while the delegate handles an event: it waits for the end of that.
    ///
    /// A change that failed for a passing reason stays pending. Any other one is pending no more,
    /// and the delegate, which gets its error, may add it again.
    ///
    /// - Parameter options: which changes to send.
    /// - Throws: ``CKError``: `notAuthenticated`; `badDatabase` for the public database;
    ///   `operationCancelled`; the first passing error. Errors of single changes are events.
    public func sendChanges(
        _ options: SendChangesOptions = SendChangesOptions()
    ) async throws {
        let context = SendChangesContext(reason: .manual, options: options)
        try await queue.run { [self] () async throws(CKError) in
            try await SyncSend(self).run(context)
        }
    }

    /// Cancels what the engine does and what waits for it, and returns when that has ended.
    ///
    /// A batch that was already sent can be committed; its event then still comes.
    public func cancelOperations() async { await queue.cancel() }

    private func syncBySchedule() async throws(CKError) {
        try await queue.run { [self] () async throws(CKError) in
            try await SyncFetch(self).run(FetchChangesContext(reason: .scheduled))
            guard state.hasPendingChanges else { return }
            try await SyncSend(self).run(SendChangesContext(reason: .scheduled))
        }
    }
}

/// What fetching and sending have in common.
extension CKSyncEngine {
    func tell(_ event: Event) async {
        await configuration.delegate?.handleEvent(event, syncEngine: self)
    }

    func tellState() async {
        await tell(.stateUpdate(Event.StateUpdate(stateSerialization: state.serialization)))
    }

    /// Checks that the database can be synced, and that the user is the one from before.
    func checkUser() async throws(CKError) {
        guard database.databaseScope != .public else {
            throw CKError(.badDatabase, "sync a database: the public one has no changes to follow")
        }
        let user = try await database.user()
        let former = state.user
        if user != former {
            state.begin(for: user)
            await tell(.accountChange(Event.AccountChange(from: former, to: user)))
            await tellState()
        }
        guard user != nil else {
            throw CKError(.notAuthenticated, "sync a database: nobody has signed in")
        }
    }

    func checkCancellation() throws(CKError) {
        guard !Task.isCancelled else {
            throw CKError(.operationCancelled, "sync a database: it was cancelled")
        }
    }
}

extension CKDatabase {
    /// The name of the signed-in user's record; `nil` if nobody has signed in.
    fileprivate func user() async throws(CKError) -> String? {
        do throws(CKError) {
            return try await read { view in view.session.account?.userRecordName }
        } catch {
            guard error.code == .notAuthenticated else { throw error }
            return nil
        }
    }

    /// Waits until anybody has changed the container; it may return early.
    func waitForChange(
        after commit: UInt64, timeout: Duration
    ) async throws(CKError) -> UInt64? {
        try await read { view throws(RecordError) in
            try view.core.waitForCommit(after: commit, timeout: timeout)
        }
    }
}

extension CKError {
    /// Whether the engine tries again by itself.
    var isPassing: Bool {
        switch code {
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable,
            .requestRateLimited, .notAuthenticated, .operationCancelled,
            .accountTemporarilyUnavailable, .serverResponseLost:
            true
        default: false
        }
    }
}
