/// Who asks.
package enum Session: Sendable {
    /// A program, for nobody: it may read what the public database shows to the world.
    case nobody
    /// A server that signs its requests with a key: the public database alone.
    case server
    /// A user who has signed in, with unlocked keys.
    case account(AccountKeys)

    package var account: AccountIdentifier? {
        if case .account(let keys) = self { keys.account } else { nil }
    }
}
