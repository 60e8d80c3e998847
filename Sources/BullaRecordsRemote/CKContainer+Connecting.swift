#if Remote
public import Bulla
public import BullaRecords
internal import Foundation

/// A service that keeps containers: `bulla-records serve`, or another one that implements the
/// protocol of CloudKit's web service in the same way.
public struct RecordServiceAccess: Sendable {
    let address: RemoteAddress
    let authorities: String?
    let credentials: RemoteCredentials

    /// Access as a program that a container's operator has admitted.
    ///
    /// - Parameters:
    ///   - url: begins with `https`; a service on this machine can also be reached without TLS, at
    ///     `127.0.0.1`, `[::1]` or `localhost`.
    ///   - token: what `bulla-records program add` has printed.
    ///   - authorities: a PEM file with the certificates of the authorities that may vouch for the
    ///     service; `nil` for those that this machine trusts.
    /// - Throws: ``CKError`` with `invalidArguments` for any other URL.
    public init(url: String, token: Secret, authorities: String? = nil) throws {
        try self.init(url, .program(token: token), authorities)
    }

    /// Access as a server, which signs its requests with a key of its own, and can use only the
    /// public database.
    ///
    /// - Parameters:
    ///   - url: as for a program.
    ///   - keyID: what `bulla-records server-key add` has printed.
    ///   - privateKey: the key's private half: the text of its PEM file, or DER.
    ///   - authorities: as for a program.
    /// - Throws: ``CKError`` with `invalidArguments` for any other URL.
    public init(
        url: String, keyID: String, privateKey: Secret, authorities: String? = nil
    ) throws {
        let key = RemoteServerKey(keyID: keyID, privateKey: privateKey)
        try self.init(url, .server(key), authorities)
    }

    private init(
        _ url: String, _ credentials: RemoteCredentials, _ authorities: String?
    ) throws(CKError) {
        do throws(RecordError) { address = try RemoteAddress(url) } catch { throw CKError(error) }
        (self.credentials, self.authorities) = (credentials, authorities)
    }
}

extension CKContainer {
    /// Opens a container of a service; no request is sent yet.
    ///
    /// From then on, until ``CKContainer/close()``, this process finds the container by its
    /// identifier, and uses the container and its databases as if they were in a store on this
    /// machine. The service holds the user's keys while the user is signed in: encrypted fields
    /// travel inside TLS, and the service seals them.
    ///
    /// - Parameters:
    ///   - identifier: such as `iCloud.org.example.notes`.
    ///   - environment: one of the two that the service has for the container.
    ///   - service: the service, with the program's credentials.
    /// - Throws: ``CKError`` with `invalidArguments` for an invalid identifier, or if the file of
    ///   authorities cannot be read.
    public static func connect(
        identifier: String, environment: Environment = .development, to service: RecordServiceAccess
    ) throws -> CKContainer {
        try connect(identifier: identifier, environment: environment, to: service) { $0 }
    }

    /// Opens a container of a service, as above.
    ///
    /// - Parameters:
    ///   - patience: how often a failed request is tried again.
    ///   - front: wraps the transport that sends the requests over HTTP.
    package static func connect(
        identifier: String, environment: Environment = .development,
        to service: RecordServiceAccess,
        patience: RemotePatience = RemotePatience(),
        through front: (any RemoteTransport) -> any RemoteTransport
    ) throws -> CKContainer {
        do throws(RecordError) {
            let place = Place(identifier, environment == .development ? .development : .production)
            let transport = try HTTPTransport(service.address, authorities: service.authorities)
            return try connect(place, front(transport), service.credentials, patience: patience)
        } catch { throw CKError(error) }
    }
}
#endif
