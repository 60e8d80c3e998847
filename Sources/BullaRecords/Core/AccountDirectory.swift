internal import Synchronization

/// The public keys of a place's accounts, which others use to share zones with them.
///
/// A place is a container in one of its environments. Each account has a document of its own, which
/// ``AccountPublicKeys`` describes. A process that uses an account's keys publishes the account's
/// document, and never replaces one of a later epoch.
package final class AccountDirectory: Sendable {
    private let backend: any RecordBackend
    private let container: ContainerKeys
    /// The keys that this process has published, so that it need not read an account's entry
    /// whenever it uses the account's keys.
    private let published = Mutex<[AccountIdentifier: AccountPublicKeys]>([:])

    init(_ backend: any RecordBackend, _ container: ContainerKeys) {
        (self.backend, self.container) = (backend, container)
    }

    /// An account's entry in the directory; `nil` if the account has never used its keys here.
    ///
    /// - Throws: `damaged` if the entry is not the account's.
    func entry(of account: AccountIdentifier) throws(RecordError) -> AccountPublicKeys? {
        guard
            let stored = try backend.document(
                PlaceDocument.publicKeys(of: account), of: container.place, for: account)
        else { return nil }
        return try AccountPublicKeys(
            stored.bytes, of: account, version: stored.version, container)
    }

    /// The public keys of an account, used to share zones with it.
    ///
    /// - Throws: `participantUnknown` if the account has never used its keys here; `damaged`.
    package func keys(of account: AccountIdentifier) throws(RecordError) -> AccountPublicKeys {
        guard let keys = try entry(of: account) else {
            throw RecordError(
                .participantUnknown,
                "share with \(account.userRecordName): the account has never signed in here")
        }
        return keys
    }

    /// Publishes an account's keys, unless this process has already done so.
    func note(_ keys: AccountKeys) throws(RecordError) {
        let known = published.withLock { $0[keys.account] }
        guard known.map({ $0.epoch < keys.epoch }) ?? true else { return }
        try publish(keys)
    }

    /// Publishes an account's keys, so that others can share zones with it; overwrites an entry
    /// that a backend has damaged.
    ///
    /// Call it when an account has signed in, and after a reset.
    package func publish(_ keys: AccountKeys) throws(RecordError) {
        var triesLeft = Self.retryCount
        while try !replace(keys) {
            guard triesLeft > 0 else {
                throw RecordError(
                    .unavailable, "publish an account's keys: others keep changing the entry",
                    retryAfter: 1)
            }
            triesLeft -= 1
        }
        published.withLock { published in
            if published.count >= 10_000 { published.removeAll() }
            published[keys.account] = keys.publicKeys
        }
    }

    private static let retryCount = 20

    /// Replaces the entry; returns whether it now has the account's keys, or later ones.
    private func replace(_ keys: AccountKeys) throws(RecordError) -> Bool {
        let (name, new) = (PlaceDocument.publicKeys(of: keys.account), keys.publicKeys)
        let stored = try backend.document(name, of: container.place, for: keys.account)
        let former = stored.flatMap { stored in
            try? AccountPublicKeys(
                stored.bytes, of: keys.account, version: stored.version, container)
        }
        if former == new || (former?.epoch ?? 0) > new.epoch { return true }
        let version = stored?.version ?? 0
        guard version < .max else {
            throw RecordError(
                .damaged, "publish an account's keys: the entry's version is too great")
        }
        let bytes = try new.bytes(of: keys.account, version: version + 1, container)
        return try backend.replace(
            name, of: container.place, for: keys.account, version: version, with: bytes)
    }
}
