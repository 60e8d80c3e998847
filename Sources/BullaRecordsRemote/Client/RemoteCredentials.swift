package import Bulla

/// With what a program shows a service that it is admitted.
package enum RemoteCredentials: Sendable {
    /// The token of a program, which works for the user who signs in, or for nobody.
    case program(token: Secret)
    /// The key of a server, which works on the public database.
    case server(RemoteServerKey)
}
