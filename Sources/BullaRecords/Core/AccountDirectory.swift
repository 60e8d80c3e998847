internal import Synchronization

/// The public keys of a place's accounts: by them zones are shared.
///
/// Each account has a document of its own, which ``AccountPublicKeys`` describes. It is published
/// by whoever uses the account's keys here, and never gives way to one of an earlier epoch.
package final class AccountDirectory: Sendable {
    private let backend: any RecordBackend
    private let container: ContainerKeys
    /// What this process has published: it need not look each time.
    private let published = Mutex<[AccountIdentifier: AccountPublicKeys]>([:])

    init(_ backend: any RecordBackend, _ container: ContainerKeys) {
        (self.backend, self.container) = (backend, container)
    }

    /// What the directory says of an account; `nil` where it has never opened its keys here.
    ///
    /// - Throws: `damaged` where the entry is not the account's.
    func entry(of account: AccountIdentifier) throws(RecordError) -> AccountPublicKeys? {
        guard
            let stored = try backend.document(
                .publicKeys(of: account), of: container.place)
        else { return nil }
        return try AccountPublicKeys(
            stored.bytes, of: account, version: stored.version, container)
    }

    /// The public keys of an account that can be shared with.
    ///
    /// - Throws: `participantUnknown` where it has never opened its keys here; `damaged`.
    package func keys(of account: AccountIdentifier) throws(RecordError) -> AccountPublicKeys {
        guard let keys = try entry(of: account) else {
            throw RecordError(
                .participantUnknown,
                "share with \(account.userRecordName): the account has never signed in here")
        }
        return keys
    }

    /// Tells others of an account's keys, where this process has not done so.
    func note(_ keys: AccountKeys) throws(RecordError) {
        let known = published.withLock { $0[keys.account] }
        guard known.map({ $0.epoch < keys.epoch }) ?? true else { return }
        try publish(keys)
    }

    /// Tells others of an account's keys, so that they can share zones with it; what a backend has
    /// made of the entry is written over.
    ///
    /// To be called when an account has signed in, and after a reset.
    package func publish(_ keys: AccountKeys) throws(RecordError) {
        var triesLeft = Self.retryCount
        while try !replace(keys) {
            guard triesLeft > 0 else {
                throw RecordError(
                    .unavailable, "publish an account's keys: others do all the time",
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

    /// Whether the entry has an account's keys, or later ones.
    private func replace(_ keys: AccountKeys) throws(RecordError) -> Bool {
        let (name, new) = (String.publicKeys(of: keys.account), keys.publicKeys)
        let stored = try backend.document(name, of: container.place)
        let former = stored.flatMap { stored in
            try? AccountPublicKeys(
                stored.bytes, of: keys.account, version: stored.version, container)
        }
        if former == new || (former?.epoch ?? 0) > new.epoch { return true }
        let version = stored?.version ?? 0
        guard version < .max else {
            throw RecordError(.damaged, "publish an account's keys: the entry is beyond use")
        }
        let bytes = try new.bytes(of: keys.account, version: version + 1, container)
        return try backend.replace(name, of: container.place, version: version, with: bytes)
    }
}

extension String {
    /// The document that an account's public keys are.
    fileprivate static func publicKeys(of account: AccountIdentifier) -> String {
        "keys of \(account.identifier.text)"
    }
}
