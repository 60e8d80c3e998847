import BullaRecords

/// The caller of a request, as the service has authenticated it.
struct WebCaller {
    let session: Session
    /// The account that `users/current` names: the user's, or the one that owns the server's key;
    /// `nil` if there is neither a user nor a known owner.
    let account: AccountIdentifier?
    /// The token for the next request of the user's client; `nil` without a user.
    let freshToken: String?
    /// Identifies the caller for rate limits: an account, a server's key ID, or a program's token.
    let name: String
}

extension ServiceOperation {
    /// Whether only a user or a server may call the operation, even in the public database.
    var needsUser: Bool {
        isWrite || [.currentUser, .caller, .discoverUsers, .resolveShares].contains(self)
    }
}
