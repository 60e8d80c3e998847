internal import Bulla
internal import Dispatch
internal import Synchronization

/// A container whose stores are open, with whoever is signed in.
final class OpenContainer: Sendable {
    let place: Place
    let core: RecordCore
    let keyring: AccountKeyring
    /// Where its stores are, however the caller wrote it.
    let folder: String
    private let stores: [Store]
    private let signedIn = Mutex<AccountKeys?>(nil)
    private let isClosed = Atomic(false)
    /// Calls block: they run here, and not on the threads that tasks share.
    let reading = DispatchQueue(label: "bulla.records.read", attributes: .concurrent)
    /// Writes of one process would only wait for each other.
    let writing = DispatchQueue(label: "bulla.records.write")
    /// One password at a time: stretching takes much memory.
    let accounts = DispatchQueue(label: "bulla.records.accounts")

    init(
        _ core: RecordCore, _ keyring: AccountKeyring, _ stores: [Store], folder: String
    ) {
        (self.core, self.keyring, self.stores, self.folder) = (core, keyring, stores, folder)
        place = core.place
    }

    deinit {
        signOut()
        core.end()
    }

    /// The keys of whoever is signed in.
    var keys: AccountKeys? { signedIn.withLock { $0 } }

    /// The session of whoever has these keys; nobody's once the account's keys were reset.
    ///
    /// - Throws: `notAuthenticated` where another has signed in since the keys were looked up;
    ///   `unavailable`, `internalError` where the accounts cannot be read.
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

    func signIn(_ keys: AccountKeys) {
        let former = signedIn.withLock { signedIn in
            defer { signedIn = keys }
            return signedIn
        }
        former?.end()
    }

    /// Wipes the keys of whoever is signed in.
    func signOut() {
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

    /// A database as whoever has these keys sees it.
    func view(
        _ scope: DatabaseScope, _ keys: AccountKeys?
    ) throws(RecordError) -> DatabaseView {
        try core.database(scope, try session(keys))
    }

    var isOpen: Bool { !isClosed.load(ordering: .acquiring) }

    /// Wipes all keys, and closes the stores.
    func close() throws(BullaError) {
        isClosed.store(true, ordering: .releasing)
        signOut()
        core.end()
        for store in stores { try store.close() }
    }
}

/// The containers that this process has open, by their identifiers.
enum OpenContainers {
    private static let all = Mutex<[OpenContainer]>([])

    static func add(_ container: OpenContainer) { all.withLock { $0.append(container) } }

    static func remove(_ container: OpenContainer) {
        all.withLock { $0.removeAll { $0 === container } }
    }

    /// The one of an identifier, or any, that was opened first.
    static func first(_ identifier: String?) -> OpenContainer? {
        first { identifier == nil || $0.place.container == identifier }
    }

    /// Of those that are as asked, the one that was opened first.
    static func first(where isAsked: (OpenContainer) -> Bool) -> OpenContainer? {
        all.withLock { $0.first(where: isAsked) }
    }
}
