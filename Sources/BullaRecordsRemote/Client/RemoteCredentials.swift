package import Bulla

/// The credentials by which a program shows a service that it is admitted.
package enum RemoteCredentials: Sendable {
    /// The token of a program, which makes requests for the signed-in user, or without a user.
    case program(token: Secret)
    /// The key of a server, for requests to the public database.
    case server(RemoteServerKey)
}
