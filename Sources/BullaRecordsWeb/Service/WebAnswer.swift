internal import Foundation

/// An answer for a server to send.
package struct WebAnswer: Sendable {
    /// An error for the log, without any value from the request.
    package struct Failure: Sendable {
        /// A UUID that identifies the answer in the log and to its client.
        package let identifier: String
        package let error: WebError
    }

    package let status: Int
    package var headers: [WebHeader]
    package let body: [UInt8]
    /// `nil` if the request as a whole succeeded.
    package let failure: Failure?

    private static let contentType = WebHeader("Content-Type", "application/json; charset=UTF-8")

    package init(_ body: [UInt8]) {
        (status, headers, failure) = (200, [Self.contentType], nil)
        self.body = body
    }

    /// An answer that is not JSON.
    package init(_ body: [UInt8], status: Int = 200, headers: [WebHeader]) {
        (self.status, self.headers, failure) = (status, headers, nil)
        self.body = body
    }

    /// An HTML page, with headers that keep browsers from loading anything else and from running
    /// scripts.
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

    /// The answer to a request that failed with this error.
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
