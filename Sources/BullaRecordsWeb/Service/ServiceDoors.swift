package import BullaRecords

/// Knows the admitted programs, and the signed-in users.
///
/// Any number of threads can call at once.
package protocol SessionKeeper: Sendable {
    /// Whether a container's owner has admitted the program with this token.
    func knows(apiToken: String, in place: Place) throws(WebError) -> Bool

    /// The user that a token stands for; `nil` if the token is unknown or no longer valid.
    ///
    /// - Parameter token: the token as the client sent it; ``WebToken`` reads it.
    func user(webAuthToken token: String, in place: Place) throws(WebError) -> SignedInUser?
}

/// A user who has signed in.
package struct SignedInUser: Sendable {
    package let keys: AccountKeys
    /// The token for the client's next request: a new one, or the one that the client sent.
    package let freshToken: String

    package init(_ keys: AccountKeys, freshToken: String) {
        (self.keys, self.freshToken) = (keys, freshToken)
    }
}

/// The key with which a server signs its requests.
package struct ServerKey: Sendable {
    /// A SubjectPublicKeyInfo in DER (RFC 5480), for ECDSA over P-256.
    package let publicKey: [UInt8]
    /// The account that added the key; `nil` if it is not known.
    package let owner: AccountIdentifier?

    package init(publicKey: [UInt8], owner: AccountIdentifier? = nil) {
        (self.publicKey, self.owner) = (publicKey, owner)
    }
}

extension SignedInUser: Untold {
    package var description: String { "a user who has signed in" }
}

/// The lookups that a service needs.
package struct ServiceDoors: Sendable {
    /// Finds the core of a container's environment; `nil` if the service does not have it.
    package typealias CoreFinder = @Sendable (Place) throws(WebError) -> RecordCore?
    /// Finds the key that has a given key ID; `nil` if the container's owner has added no such key.
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
