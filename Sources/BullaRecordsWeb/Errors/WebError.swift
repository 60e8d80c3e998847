package import BullaRecords

/// An error of the web service: for one record, one zone or a whole request.
package struct WebError: Error, Hashable, Sendable {
    package let code: ServerErrorCode
    package var reason: String
    /// Details for the operator's log; no answer contains them.
    package var detail: String?
    /// The HTTP status of the answer if the whole request failed.
    package var status: Int
    /// After how many whole seconds the client should try again.
    package var retryAfter: Int64?
    /// Whether the zone is gone because its owner's keys were reset.
    package var isAfterReset = false
    /// The sign-in address, for ``ServerErrorCode/authenticationRequired``.
    package var redirectURL: String?
    /// Additional headers of the answer if the whole request failed.
    package var headers: [WebHeader] = []

    /// - Parameter status: the status, if it differs from the code's own.
    package init(
        _ code: ServerErrorCode, _ reason: String, status: Int? = nil, retryAfter: Int64? = nil
    ) {
        self.code = code
        self.status = status ?? code.status
        self.reason = reason
        self.retryAfter = retryAfter
    }

    package init(_ error: RecordError) {
        self.init(Self.code(of: error.code), Self.reason(of: error))
        detail = error.detail
        // A time that is negative, longer than a year, or not a number is left out.
        retryAfter = error.retryAfter.flatMap { (0...31_536_000).contains($0) ? $0 : nil }.map {
            Int64($0.rounded(.up))
        }
        isAfterReset = error.code == .encryptedDataReset
    }

    private static func code(of code: RecordError.Code) -> ServerErrorCode {
        switch code {
        case .unknownItem, .assetNotFound, .participantUnknown: .notFound
        case .zoneNotFound, .encryptedDataReset: .zoneNotFound
        case .recordChanged: .conflict
        case .alreadyShared: .exists
        case .batchFailed: .atomicError
        case .invalidArguments, .limitExceeded, .changeTokenExpired, .tooManyParticipants:
            .badRequest
        case .permissionFailure: .accessDenied
        case .notAuthenticated: .authenticationRequired
        case .authenticationFailed: .authenticationFailed
        case .quotaExceeded: .quotaExceeded
        case .referenceViolation: .validatingReferenceError
        case .unavailable, .unreachable, .interrupted: .tryAgainLater
        case .throttled: .throttled
        case .zoneRolledBack, .damaged, .internalError: .internalError
        }
    }

    /// The reason to give for an error of the record layer.
    ///
    /// It begins with the record layer's code if clients need that code and cannot infer it from
    /// the service's code.
    private static func reason(of error: RecordError) -> String {
        switch error.code {
        case .limitExceeded, .changeTokenExpired, .zoneRolledBack, .damaged, .encryptedDataReset,
            .participantUnknown, .tooManyParticipants:
            "\(error.code.rawValue): \(error.reason)"
        default: error.reason
        }
    }
}

extension WebError {
    /// The error for an HTTP method that is not allowed.
    package static func method(_ asked: String, _ allowed: [String]) -> WebError {
        var error = WebError(
            .badRequest, "\(asked) takes only " + allowed.joined(separator: " or "), status: 405)
        error.headers = [WebHeader("Allow", allowed.joined(separator: ", "))]
        return error
    }

    /// Writes the answer to a request that failed as a whole.
    ///
    /// - Parameter identifier: identifies the answer in the log, in the form of a UUID.
    package func answer(identifier: String) -> [UInt8] {
        var writer = JSONWriter(byteCapacity: 256)
        writer.beginObject()
        writer.member("uuid", identifier)
        append(to: &writer)
        if let redirectURL { writer.member("redirectURL", redirectURL) }
        appendReset(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes the error in place of a record.
    ///
    /// In place of a record, strict clients accept only the keys that this method writes. So the
    /// error has neither an identifier nor a zone.
    func appendItem(recordName: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        if let recordName { writer.member("recordName", recordName) }
        append(to: &writer)
        writer.endObject()
    }

    /// Writes the error in place of a share.
    func appendItem(shortGUID: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.shortGUID(shortGUID)
        append(to: &writer)
        writer.endObject()
    }

    /// Writes the error in place of a zone.
    func appendItem(zone: ZoneIdentifier, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneID")
        writer.zone(zone)
        append(to: &writer)
        appendReset(to: &writer)
        writer.endObject()
    }

    private func append(to writer: inout JSONWriter) {
        writer.member("reason", reason)
        writer.member("serverErrorCode", code.rawValue)
        if let retryAfter {
            writer.key("retryAfter")
            writer.int64(retryAfter)
        }
    }

    private func appendReset(to writer: inout JSONWriter) {
        guard isAfterReset else { return }
        writer.key("userDidResetEncryptedData")
        writer.bool(true)
    }
}
