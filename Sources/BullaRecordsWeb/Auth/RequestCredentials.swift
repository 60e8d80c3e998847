import BullaRecords

/// The credentials in a request.
package enum RequestCredentials: Hashable, Sendable {
    /// A program that a container's owner has admitted, with or without a signed-in user.
    case apiToken(String, webAuthToken: String?)
    /// A server that signs with a key of its own.
    case signature(RequestSignature)

    /// - Parameter signature: the signature in the headers, if there is one.
    /// - Throws: ``WebError`` if there are no credentials, or two kinds, or a signature for a
    ///   database that is not public.
    package init(_ target: RequestTarget, _ signature: RequestSignature?) throws(WebError) {
        switch (target.apiToken, signature) {
        case (let token?, nil):
            self = .apiToken(token, webAuthToken: target.webAuthToken)
        case (nil, let signature?) where target.webAuthToken == nil:
            guard target.scope == .public else {
                throw WebError(
                    .accessDenied, "a server's key gives access only to the public database")
            }
            self = .signature(signature)
        case (_, .some):
            throw WebError(
                .authenticationFailed, "a request must have a token or a signature, not both")
        case (nil, nil):
            throw WebError(
                .authenticationFailed, "a request must have an API token or a signature")
        }
    }
}
