/// The caller of a request.
package enum Session: Sendable {
    /// A program without a user: it can read what the public database shows to everyone.
    case nobody
    /// A server that signs its requests with a key: it can use only the public database.
    case server
    /// A signed-in user, with unlocked keys.
    case account(AccountKeys)

    package var account: AccountIdentifier? {
        if case .account(let keys) = self { keys.account } else { nil }
    }
}
