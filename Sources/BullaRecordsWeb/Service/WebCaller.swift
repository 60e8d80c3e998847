import BullaRecords

/// Who asks, as the service has found out.
struct WebCaller {
    let session: Session
    /// Whose name `users/current` tells; `nil` for nobody.
    let account: AccountIdentifier?
    /// What a user's client is to show next time.
    let freshToken: String?

    static let nobody = WebCaller(session: .nobody, account: nil, freshToken: nil)
}

extension ServiceOperation {
    /// Whether somebody has to ask, in the public database too.
    var needsUser: Bool { isWrite || self == .currentUser || self == .caller }
}
