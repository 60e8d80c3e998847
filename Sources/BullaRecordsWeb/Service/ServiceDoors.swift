package import BullaRecords

/// Knows the programs that are let in, and the users who have signed in.
///
/// Any number of threads may call at once.
package protocol SessionKeeper: Sendable {
    /// Whether a container's owner has let in the program that has this token.
    func knows(apiToken: String, in place: Place) throws(WebError) -> Bool

    /// The user whose token it is; `nil` where it is nobody's, or not good any more.
    ///
    /// - Parameter token: as the client sent it; ``WebToken`` reads it.
    func user(webAuthToken token: String, in place: Place) throws(WebError) -> SignedInUser?
}

/// A user who has signed in.
package struct SignedInUser: Sendable {
    package let keys: AccountKeys
    /// What the client is to show next time: another one, or that which it has shown.
    package let freshToken: String

    package init(_ keys: AccountKeys, freshToken: String) {
        (self.keys, self.freshToken) = (keys, freshToken)
    }
}

/// What is known of the key that a server signs its requests with.
package struct ServerKey: Sendable {
    /// For ECDSA over P-256: a SubjectPublicKeyInfo in DER (RFC 5480).
    package let publicKey: [UInt8]
    /// Who has put it in; `nil` where nobody is known.
    package let owner: AccountIdentifier?

    package init(publicKey: [UInt8], owner: AccountIdentifier? = nil) {
        (self.publicKey, self.owner) = (publicKey, owner)
    }
}

extension SignedInUser: Untold {
    package var description: String { "a user who has signed in" }
}

/// What a service finds what it serves with.
package struct ServiceDoors: Sendable {
    /// The core of a container's environment; `nil` where the service has none.
    package typealias CoreFinder = @Sendable (Place) throws(WebError) -> RecordCore?
    /// The key of a name; `nil` where the container's owner has put in none.
    package typealias ServerKeyFinder =
        @Sendable (_ keyID: String, Place) throws(WebError) -> ServerKey?

    package let core: CoreFinder
    package let sessions: any SessionKeeper
    package let serverKey: ServerKeyFinder

    package init(
        core: @escaping CoreFinder, sessions: any SessionKeeper,
        serverKey: @escaping ServerKeyFinder
    ) {
        (self.core, self.sessions, self.serverKey) = (core, sessions, serverKey)
    }
}
