internal import Foundation

/// What a server is to send.
package struct WebAnswer: Sendable {
    /// What went wrong, for the log: it has no value of the request.
    package struct Failure: Sendable {
        /// Names the answer, to its client too; as a UUID is written.
        package let identifier: String
        package let error: WebError
    }

    package let status: Int
    package var headers: [WebHeader]
    package let body: [UInt8]
    /// `nil` where the request as a whole succeeded.
    package let failure: Failure?

    private static let contentType = WebHeader("Content-Type", "application/json; charset=UTF-8")

    init(_ body: [UInt8]) {
        (status, headers, failure) = (200, [Self.contentType], nil)
        self.body = body
    }

    /// A page of HTML, which loads nothing and runs nothing.
    init(page: String) {
        status = 200
        headers = [
            WebHeader("Content-Type", "text/html; charset=UTF-8"),
            WebHeader(
                "Content-Security-Policy",
                "default-src 'none'; form-action 'self'; frame-ancestors 'none'"),
        ]
        body = Array(page.utf8)
        failure = nil
    }

    /// The answer to a request that failed so.
    package init(_ error: WebError) {
        let identifier = UUID().uuidString
        status = error.status
        headers = [Self.contentType] + error.headers
        if let seconds = error.retryAfter {
            headers.append(WebHeader("Retry-After", String(seconds)))
        }
        body = error.answer(identifier: identifier)
        failure = Failure(identifier: identifier, error: error)
    }
}

extension WebAnswer: Untold {
    package var description: String { "an answer of status \(status)" }
}
