internal import Bulla
internal import BullaMemory
package import BullaRecords
internal import BullaRecordsWeb
internal import BullaText
internal import Foundation

/// Sends the requests of one container to its service, and repeats those that can be tried again.
package final class RemoteClient: Sendable {
    package let place: Place
    private let transport: any RemoteTransport
    private let credentials: RemoteCredentials
    private let patience: RemotePatience
    /// The time in milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    package init(
        _ place: Place, _ transport: any RemoteTransport, _ credentials: RemoteCredentials,
        patience: RemotePatience = RemotePatience(), clock: @escaping @Sendable () -> Int64
    ) {
        (self.place, self.transport, self.credentials) = (place, transport, credentials)
        (self.patience, self.clock) = (patience, clock)
    }

    func close() { transport.close() }

    /// Performs an operation, and returns the body of its answer.
    ///
    /// - Throws: the service's error; `unreachable` or `interrupted` if there is no answer.
    func perform(
        _ request: ClientRequest, _ scope: DatabaseScope, _ token: RemoteToken?
    ) throws(RecordError) -> [UInt8] {
        let path = RequestTarget.path(of: request.operation, in: place, scope)
        let isWrite = request.operation.isWrite
        return try patience.trying(isWrite: isWrite) { () throws(RecordError) in
            let answer = try transport.send(signed(path, request.body, token))
            if let fresh = answer.freshToken { token?.renew(fresh) }
            do throws(RecordError) { return try answer.checked() } catch {
                if error.code == .authenticationFailed { token?.end() }
                throw error
            }
        }
    }

    /// The request, with the tokens of the program and the user, or signed with a server's key.
    private func signed(
        _ path: String, _ body: [UInt8], _ user: RemoteToken?
    ) throws(RecordError) -> WebRequest {
        var headers = [WebHeader("Content-Type", "application/json")]
        switch credentials {
        case .program(let token):
            var target = path + "?ckAPIToken=" + Self.escaped(token.text)
            if let user { target += "&ckWebAuthToken=" + Self.escaped(try user.text()) }
            return WebRequest("POST", target, headers: headers, body: body)
        case .server(let key):
            headers += try key.headers(path, body, now: clock())
            return WebRequest("POST", path, headers: headers, body: body)
        }
    }

    private static func escaped(_ text: String) -> String {
        String(decoding: PercentCoding.encoded(Array(text.utf8)), as: UTF8.self)
    }

    /// Signs a user in.
    ///
    /// - Throws: `authenticationFailed` if no account has this name and password; `throttled`.
    func signIn(_ name: String, _ password: Secret) throws(RecordError) -> RemoteSession {
        guard case .program = credentials else {
            throw RecordError(
                .permissionFailure,
                "sign in: a server's key works for no user; use a program's token")
        }
        var secret = password.withBytes { bytes in
            bytes.withView { view in
                var copy = view.copied()
                defer { copy.wipe() }
                return PercentCoding.encoded(copy)
            }
        }
        defer { secret.wipe() }
        let begin = Array("accountName=".utf8) + PercentCoding.encoded(Array(name.utf8))
        let request = desk("sign-in", begin + Array("&password=".utf8) + secret)
        let text = try patience.trying(isWrite: false) { () throws(RecordError) in
            try AnswerReader.webAuthToken(transport.send(request).checked())
        }
        guard let token = try? Secret(text) else {
            throw RecordError(.internalError, "sign in: the service's token cannot be kept")
        }
        return try session(token)
    }

    /// The session of a token, for the user whom the service names.
    private func session(_ token: Secret) throws(RecordError) -> RemoteSession {
        let token = RemoteToken(token)
        let body = try perform(.currentUser, .public, token)
        let reader = AnswerReader(.public, viewer: nil) { _, _ throws(RecordError) in
            throw RecordError(.internalError, "read the user: there is an asset")
        }
        return RemoteSession(account: try reader.user(body), token: token)
    }

    /// Ends a session at the service; if that fails, the token stays valid until it expires.
    func signOut(_ session: RemoteSession) {
        guard let text = try? session.token.text() else { return }
        session.token.end()
        _ = try? transport.send(desk("sign-out", Array("ckWebAuthToken=".utf8) + Array(text.utf8)))
    }

    private func desk(_ verb: String, _ form: [UInt8]) -> WebRequest {
        WebRequest(
            "POST", "/\(verb)/\(place.container)/\(place.environment.name)",
            headers: [WebHeader("Content-Type", "application/x-www-form-urlencoded")], body: form)
    }
}

/// The files of records.
extension RemoteClient {
    func beginUpload(to path: String) throws(RecordError) -> any RemoteUpload {
        try transport.beginUpload(to: path)
    }

    func download(
        _ path: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> RemoteAnswer {
        try transport.download(path, body)
    }
}
