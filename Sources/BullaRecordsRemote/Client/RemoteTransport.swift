package import BullaRecords
package import BullaRecordsWeb

/// Carries requests to a service, and brings its answers.
///
/// All calls block, and any number of threads can call at once. A call throws `unreachable` if the
/// request has not left this machine, `interrupted` if it may have arrived, and `internalError` if
/// the answer is too large.
package protocol RemoteTransport: Sendable {
    /// Sends a request to the service, and returns the answer, whatever it is.
    func send(_ request: WebRequest) throws(RecordError) -> RemoteAnswer

    /// Begins to send a file.
    func beginUpload(to target: String) throws(RecordError) -> any RemoteUpload

    /// Passes the bytes of a file to `body`, part by part.
    ///
    /// - Returns: the answer without the file; only an error has a body.
    /// - Throws: also what `body` throws.
    func download(
        _ target: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> RemoteAnswer

    func close()
}

/// A file on its way to a service; if this object is dropped before ``finish()`` is called, the
/// file is not sent.
package protocol RemoteUpload: AnyObject {
    func append(_ bytes: ArraySlice<UInt8>) throws(RecordError)
    func finish() throws(RecordError) -> RemoteAnswer
}

/// An answer of a service, before anything in it is believed.
package struct RemoteAnswer: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// A fresh token for the user, in place of the one in the request.
    package let freshToken: String?
    /// How many seconds the service wants clients to wait before they ask again.
    package let retryAfter: Int64?

    package init(status: Int, headers: [WebHeader], body: [UInt8]) {
        (self.status, self.body) = (status, body)
        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        freshToken = header(WebToken.header)
        retryAfter = header("Retry-After").flatMap { Int64($0) }
    }

    /// The body of an answer that is not an error.
    ///
    /// - Throws: the error, if the answer is one.
    package func checked() throws(RecordError) -> [UInt8] {
        guard status != 200 else { return body }
        throw RecordError(WebError(status: status, retryAfter: retryAfter, body))
    }
}

/// An answer can hold a token, and values that are sealed for users.
extension RemoteAnswer: Untold {
    package var description: String { "an answer of status \(status)" }
}
