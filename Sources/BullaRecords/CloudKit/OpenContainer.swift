internal import Bulla
internal import Dispatch
internal import Synchronization

/// A container with its open stores and the signed-in user.
final class OpenContainer: Sendable {
    let place: Place
    let core: RecordCore
    let keyring: AccountKeyring
    /// The resolved path of the folder of its stores.
    let folder: String
    private let stores: [Store]
    private let signedIn = Mutex<AccountKeys?>(nil)
    /// Whether the last user to sign in has signed out; false if a reset of keys ended the session
    /// instead.
    private let hasSignedOut = Atomic(false)
    private let isClosed = Atomic(false)
    /// The queue for reads; like the other queues, it takes blocking calls, which must not run on
    /// the threads that tasks share.
    let reading = DispatchQueue(label: "bulla.records.read", attributes: .concurrent)
    /// Serial, because parallel writes of one process would only wait for each other.
    let writing = DispatchQueue(label: "bulla.records.write")
    /// Serial, so that only one password is stretched at a time: stretching takes much memory.
    let accounts = DispatchQueue(label: "bulla.records.accounts")

    init(
        _ core: RecordCore, _ keyring: AccountKeyring, _ stores: [Store], folder: String
    ) {
        (self.core, self.keyring, self.stores, self.folder) = (core, keyring, stores, folder)
        place = core.place
    }

    deinit {
        endSession()
        core.end()
    }

    /// The keys of the signed-in user.
    var keys: AccountKeys? { signedIn.withLock { $0 } }

    /// The session of the user with these keys; nobody's session if `keys` is `nil`, or if the
    /// account's keys were reset.
    ///
    /// - Throws: `notAuthenticated` if the user has signed out, or another user has signed in,
    ///   since the keys were read; `unavailable`, `internalError` if the accounts cannot be read.
    func session(_ keys: AccountKeys?) throws(RecordError) -> Session {
        guard let keys else { return .nobody }
        guard self.keys === keys else {
            throw RecordError(.notAuthenticated, "use a container: the session has ended")
        }
        guard try keyring.epoch(of: keys.account, in: place) == keys.epoch else {
            signOut(keys)
            return .nobody
        }
        return .account(keys)
    }

    /// The signed-in user, as far as this process has been told.
    var presence: UserPresence {
        if let keys { return .user(keys.account.userRecordName) }
        return hasSignedOut.load(ordering: .acquiring) ? .nobody : .unknown
    }

    func signIn(_ keys: AccountKeys) {
        hasSignedOut.store(false, ordering: .releasing)
        let former = signedIn.withLock { signedIn in
            defer { signedIn = keys }
            return signedIn
        }
        former?.end()
    }

    /// Signs out the user.
    func signOut() {
        hasSignedOut.store(true, ordering: .releasing)
        endSession()
    }

    /// Wipes the keys of the signed-in user.
    private func endSession() {
        let former = signedIn.withLock { signedIn in
            defer { signedIn = nil }
            return signedIn
        }
        former?.end()
    }

    private func signOut(_ keys: AccountKeys) {
        signedIn.withLock { if $0 === keys { $0 = nil } }
        keys.end()
    }

    var isOpen: Bool { !isClosed.load(ordering: .acquiring) }
}

extension OpenContainer: RecordContainer {
    func user() throws(RecordError) -> AccountIdentifier? { try session(keys).account }

    func database(
        _ scope: DatabaseScope, of user: String?
    ) throws(RecordError) -> DatabaseOpener {
        let keys = keys
        try check(keys?.account, is: user)
        return { [self] () throws(RecordError) in try core.database(scope, session(keys)) }
    }

    func waitForChange(
        after mark: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try core.waitForCommit(after: mark, timeout: timeout)
    }

    /// Wipes all keys, and closes the stores.
    func close() throws(RecordError) {
        isClosed.store(true, ordering: .releasing)
        endSession()
        core.end()
        do throws(BullaError) { for store in stores { try store.close() } } catch {
            throw RecordError.refined(error, "close a container")
        }
    }
}

/// The containers that this process has open.
package enum OpenContainers {
    private static let all = Mutex<[any RecordContainer]>([])

    package static func add(_ container: any RecordContainer) {
        all.withLock { $0.append(container) }
    }

    static func remove(_ container: any RecordContainer) {
        all.withLock { $0.removeAll { $0 === container } }
    }

    /// The container that was opened first of those with this identifier; `nil` stands for any
    /// identifier.
    static func first(_ identifier: String?) -> (any RecordContainer)? {
        first { identifier == nil || $0.place.container == identifier }
    }

    /// The first opened container that meets a condition.
    static func first(where isAsked: (any RecordContainer) -> Bool) -> (any RecordContainer)? {
        all.withLock { $0.first(where: isAsked) }
    }
}
