internal import BullaCipher
internal import BullaMemory
import BullaRecords

extension WebService {
    /// Authenticates the caller.
    ///
    /// - Throws: `authenticationFailed` for an invalid token or signature.
    func caller(
        of request: WebRequest, _ target: RequestTarget
    ) throws(WebError) -> WebCaller {
        let signature = try RequestSignature(
            keyID: request.header(RequestSignature.keyIDHeader),
            date: request.header(RequestSignature.dateHeader),
            signature: request.header(RequestSignature.signatureHeader))
        switch try RequestCredentials(target, signature) {
        case .apiToken(let token, let webAuthToken):
            guard try doors.sessions.knows(apiToken: token, in: target.place) else {
                throw WebError(
                    .authenticationFailed, "the container does not know the request's API token")
            }
            return try user(webAuthToken, token, target)
        case .signature(let signature): return try server(signature, request, target)
        }
    }

    private func user(
        _ webAuthToken: String?, _ apiToken: String, _ target: RequestTarget
    ) throws(WebError) -> WebCaller {
        guard let webAuthToken else {
            return WebCaller(session: .nobody, account: nil, freshToken: nil, name: apiToken)
        }
        guard
            let user = try doors.sessions.user(webAuthToken: webAuthToken, in: target.place)
        else {
            throw WebError(
                .authenticationFailed, "the request's user token is unknown or has expired")
        }
        return WebCaller(
            session: .account(user.keys), account: user.keys.account,
            freshToken: user.freshToken, name: user.keys.account.userRecordName)
    }

    /// Authenticates a server by its signature, which is valid for only one write.
    private func server(
        _ signature: RequestSignature, _ request: WebRequest, _ target: RequestTarget
    ) throws(WebError) -> WebCaller {
        let key = try doors.serverKey(signature.keyID, target.place)
        // A request with an unknown key gets the same error as one with a bad signature.
        try signature.check(
            target: request.target, body: request.body, now: clock(),
            memory: target.operation.isWrite ? replays : nil
        ) { message, signature, _ in
            guard let key else { return false }
            return message.withView { message in
                (try? Signature.verifyP256(signature, of: message, by: key.publicKey)) != nil
            }
        }
        return WebCaller(
            session: .server, account: key?.owner, freshToken: nil, name: signature.keyID)
    }
}
