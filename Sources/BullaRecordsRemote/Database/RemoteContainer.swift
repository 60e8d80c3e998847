internal import Bulla
package import BullaRecords
package import Dispatch
internal import Foundation
internal import Synchronization

/// A container at a service, and the user who has signed in there.
package final class RemoteContainer: RecordContainer {
    package let place: Place
    let client: RemoteClient
    private let signedIn = Mutex<RemoteSession?>(nil)
    private let hasSignedOut = Atomic(false)
    private let isClosed = Atomic(false)
    private let ticks: RemoteTicks
    package let reading = DispatchQueue(label: "bulla.remote.read", attributes: .concurrent)
    /// Serial, so that the changes of one program arrive in the order of its calls.
    package let writing = DispatchQueue(label: "bulla.remote.write")
    private let accounts = DispatchQueue(label: "bulla.remote.accounts")

    /// - Parameter lookInterval: how often a sync engine that syncs by itself asks for changes.
    package init(_ client: RemoteClient, lookInterval: Duration = .seconds(15)) {
        (self.client, place) = (client, client.place)
        ticks = RemoteTicks(lookInterval)
    }

    deinit { client.close() }

    package var isOpen: Bool { !isClosed.load(ordering: .acquiring) }

    /// The session of the user; `nil` if there is none, or the service has ended it.
    private var session: RemoteSession? {
        signedIn.withLock { session in
            if session?.token.isOver == true { session = nil }
            return session
        }
    }

    package var presence: UserPresence {
        if let session { return .user(session.account.userRecordName) }
        return hasSignedOut.load(ordering: .acquiring) ? .nobody : .unknown
    }

    package func user() throws(RecordError) -> AccountIdentifier? { session?.account }

    /// Signs in a user, in place of the former one.
    func signIn(_ name: String, _ password: Secret) async throws(RecordError) {
        let session = try await accounts.run { [client] () throws(RecordError) in
            try client.signIn(name, password)
        }
        hasSignedOut.store(false, ordering: .releasing)
        replaceSession(session)
    }

    package func signOut() {
        hasSignedOut.store(true, ordering: .releasing)
        replaceSession(nil)
    }

    /// Replaces the session, and ends the former one at the service, without waiting for that.
    private func replaceSession(_ session: RemoteSession?) {
        let former = signedIn.withLock { signedIn in
            defer { signedIn = session }
            return signedIn
        }
        guard let former else { return }
        accounts.async { [client] in client.signOut(former) }
    }

    package func database(
        _ scope: DatabaseScope, of user: String?
    ) throws(RecordError) -> DatabaseOpener {
        let session = session
        try check(session?.account, is: user)
        guard scope == .public || session != nil else {
            throw RecordError(
                .notAuthenticated, "use a \(scope.name) database: nobody has signed in")
        }
        return { [client] in RemoteDatabase(client, scope, session) }
    }

    package func waitForChange(
        after mark: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        ticks.next(after: mark, timeout: timeout)
    }

    /// Signs out, and closes the connections.
    package func close() throws(RecordError) {
        isClosed.store(true, ordering: .releasing)
        signOut()
        // The queue is serial, so it carries out the sign-out before this.
        accounts.sync { client.close() }
    }
}

/// Counts intervals of time, and reports each as if it were a change at the service.
///
/// The service does not tell this process of changes, so a sync engine asks once per interval.
struct RemoteTicks: Sendable {
    private let interval: Duration
    private let start = ContinuousClock.now

    init(_ interval: Duration) { self.interval = interval }

    /// The number of the present interval; `nil` if it is `mark`.
    ///
    /// If the number is `mark` at first, this waits for `timeout`, and looks once more.
    func next(after mark: UInt64, timeout: Duration) -> UInt64? {
        if let next = number(after: mark) { return next }
        let seconds = timeout / .seconds(1)
        Thread.sleep(forTimeInterval: seconds)
        return number(after: mark)
    }

    private func number(after mark: UInt64) -> UInt64? {
        let number = UInt64((ContinuousClock.now - start) / interval) + 1
        return number == mark ? nil : number
    }
}
