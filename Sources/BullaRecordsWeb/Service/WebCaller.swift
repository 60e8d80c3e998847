import BullaRecords

/// Who asks, as the service has found out.
struct WebCaller {
    let session: Session
    /// Whose name `users/current` tells; `nil` for nobody.
    let account: AccountIdentifier?
    /// What a user's client is to show next time.
    let freshToken: String?
    /// Tells callers apart, where it is counted how often each asks: an account, the name of a
    /// server's key, or a program's token.
    let name: String
}

extension ServiceOperation {
    /// Whether somebody has to ask, in the public database too.
    var needsUser: Bool {
        isWrite || [.currentUser, .caller, .resolveShares].contains(self)
    }
}
