package import BullaRecords

extension WebError {
    /// The maximum number of characters that a client keeps of the reason that a service gives.
    private static let reasonLimit = 1_000

    /// The error in the answer to a request that failed as a whole.
    ///
    /// Something between client and service, such as a proxy, can answer in place of the service;
    /// the kind of the error is then taken from the status.
    package init(status: Int, retryAfter: Int64?, _ body: [UInt8]) {
        let value = try? JSONText.read(body)
        var error =
            value.flatMap { WebError(item: $0) } ?? WebError(Self.code(of: status), "it failed")
        error.status = status
        error.retryAfter = error.retryAfter ?? retryAfter
        self = error
    }

    /// The error that an answer has in place of a record or a zone; `nil` if the value is not an
    /// error.
    init?(item value: JSONValue) {
        guard let text = value["serverErrorCode"]?.string else { return nil }
        let reason = value["reason"]?.string ?? "it failed"
        self.init(
            ServerErrorCode(rawValue: text) ?? .internalError,
            String(reason.prefix(Self.reasonLimit)), retryAfter: value["retryAfter"]?.int64)
        isAfterReset = value["userDidResetEncryptedData"]?.bool ?? false
    }

    private static func code(of status: Int) -> ServerErrorCode {
        switch status {
        case 401: .authenticationFailed
        case 403: .accessDenied
        case 408, 502, 503, 504: .tryAgainLater
        case 429: .throttled
        case 400, 404, 405, 413: .badRequest
        default: .internalError
        }
    }
}

extension RecordError {
    /// The longest wait that a client accepts from a service, in seconds: a day.
    private static let waitLimit: Int64 = 86_400
    /// The codes that a service can put at the beginning of an error's reason.
    private static let spelledCodes: [Code] = [
        .limitExceeded, .changeTokenExpired, .zoneRolledBack, .damaged, .encryptedDataReset,
        .participantUnknown, .tooManyParticipants,
    ]

    /// Converts an error that a service has reported; this is the reverse of the conversion to a
    /// ``WebError``.
    package init(_ error: WebError) {
        var (code, reason) = (Self.code(of: error), error.reason[...])
        for spelled in Self.spelledCodes {
            let prefix = spelled.rawValue + ": "
            guard reason.hasPrefix(prefix) else { continue }
            (code, reason) = (spelled, reason.dropFirst(prefix.count))
        }
        let wait = error.retryAfter.map { Double(min(max($0, 0), Self.waitLimit)) }
        self.init(code, String(reason), retryAfter: wait)
    }

    private static func code(of error: WebError) -> Code {
        switch error.code {
        case .accessDenied: .permissionFailure
        case .atomicError: .batchFailed
        case .authenticationFailed: .authenticationFailed
        case .authenticationRequired: .notAuthenticated
        // 413 is the status of a request that is too large.
        case .badRequest: error.status == 413 ? .limitExceeded : .invalidArguments
        case .conflict: .recordChanged
        case .exists: .alreadyShared
        case .internalError: .internalError
        case .notFound: .unknownItem
        case .quotaExceeded: .quotaExceeded
        case .throttled: .throttled
        case .tryAgainLater: .unavailable
        case .validatingReferenceError: .referenceViolation
        case .zoneNotFound: error.isAfterReset ? .encryptedDataReset : .zoneNotFound
        }
    }
}
