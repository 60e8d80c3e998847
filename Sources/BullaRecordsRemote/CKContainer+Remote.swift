public import Bulla
public import BullaRecords
internal import BullaRecordsWeb
internal import Foundation

extension CKContainer {
    /// Opens a container of the service that a transport reaches.
    package static func connect(
        _ place: Place, _ transport: any RemoteTransport, _ credentials: RemoteCredentials,
        patience: RemotePatience = RemotePatience()
    ) throws(RecordError) -> CKContainer {
        guard RequestTarget.isContainer(place.container) else {
            throw RecordError(
                .invalidArguments,
                "open a container of a service: its identifier has other characters than letters, "
                    + "digits, points, hyphens and underscores")
        }
        let client = RemoteClient(place, transport, credentials, patience: patience) {
            Int64(Date().timeIntervalSince1970 * 1_000)
        }
        let container = RemoteContainer(client)
        OpenContainers.add(container)
        return CKContainer(container)
    }

    /// Signs in to an account of the service, for everything in this process that uses this
    /// container, and signs out the former user.
    ///
    /// The service gives a token for the user. The token stands for the password until
    /// ``CKContainer/signOut()``, and the service's answers renew it. The password and the token
    /// are wiped when they are not needed any more, except for the copies in the buffers of the
    /// HTTP client.
    ///
    /// - Parameters:
    ///   - accountName: the name that the operator has given to the account.
    ///   - password: UTF-8 text.
    /// - Throws: ``CKError``: `notAuthenticated` if no account has this name and password;
    ///   `requestRateLimited` after too many wrong passwords; `networkUnavailable`,
    ///   `networkFailure`, `serviceUnavailable`; `permissionFailure` if the container is in stores
    ///   on this machine, or its requests are signed by a server's key; `badContainer`.
    public func signIn(accountName: String, password: Secret) async throws {
        guard let container = try open() as? RemoteContainer else {
            throw CKError(
                .permissionFailure, "sign in by name: the container is not one of a service")
        }
        do throws(RecordError) { try await container.signIn(accountName, password) } catch {
            throw CKError(error)
        }
    }
}
