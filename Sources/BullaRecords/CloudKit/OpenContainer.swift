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
    /// Whether the last user has signed out; false if a reset of keys has ended the session.
    private let hasSignedOut = Atomic(false)
    private let isClosed = Atomic(false)
    /// The queue for reads; like the other queues, for blocking calls, which must not run on the
    /// threads that tasks share.
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

    /// The session of the user with these keys; nobody's session if there are none, or if the
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

    /// A database as the user with these keys sees it.
    func view(
        _ scope: DatabaseScope, _ keys: AccountKeys?
    ) throws(RecordError) -> DatabaseView {
        try core.database(scope, try session(keys))
    }

    var isOpen: Bool { !isClosed.load(ordering: .acquiring) }

    /// Wipes all keys, and closes the stores.
    func close() throws(BullaError) {
        isClosed.store(true, ordering: .releasing)
        endSession()
        core.end()
        for store in stores { try store.close() }
    }
}

/// The user of a container in this process.
enum UserPresence: Hashable, Sendable {
    /// The user with this user record.
    case user(String)
    /// The last user has signed out.
    case nobody
    /// No user has signed in yet, or the user has to sign in again after a reset of keys.
    case unknown
}

/// The containers that this process has open.
enum OpenContainers {
    private static let all = Mutex<[OpenContainer]>([])

    static func add(_ container: OpenContainer) { all.withLock { $0.append(container) } }

    static func remove(_ container: OpenContainer) {
        all.withLock { $0.removeAll { $0 === container } }
    }

    /// The first opened container with an identifier, or the first of all.
    static func first(_ identifier: String?) -> OpenContainer? {
        first { identifier == nil || $0.place.container == identifier }
    }

    /// The first opened container that meets a condition.
    static func first(where isAsked: (OpenContainer) -> Bool) -> OpenContainer? {
        all.withLock { $0.first(where: isAsked) }
    }
}
