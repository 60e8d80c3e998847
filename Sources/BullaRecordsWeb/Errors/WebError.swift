package import BullaRecords

/// What went wrong, as the web service says it: of one record, of one zone or of a whole request.
package struct WebError: Error, Hashable, Sendable {
    package let code: ServerErrorCode
    package var reason: String
    /// What the operator's log has besides, and no answer.
    package var detail: String?
    /// The status of an answer to a whole request that failed so.
    package var status: Int
    /// After how many whole seconds it may be worth trying again.
    package var retryAfter: Int64?
    /// Whether the zone is gone because its owner's keys were replaced.
    package var isAfterReset = false
    /// Where a user signs in, with ``ServerErrorCode/authenticationRequired``.
    package var redirectURL: String?
    /// What an answer to a whole request says besides.
    package var headers: [WebHeader] = []

    /// - Parameter status: where it is not the one that goes with the code.
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
        // A time that is no number, or beyond a year, says nothing.
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
        case .batchFailed: .atomicError
        case .invalidArguments, .limitExceeded, .changeTokenExpired, .tooManyParticipants:
            .badRequest
        case .permissionFailure: .accessDenied
        case .notAuthenticated: .authenticationRequired
        case .authenticationFailed: .authenticationFailed
        case .quotaExceeded: .quotaExceeded
        case .referenceViolation: .validatingReferenceError
        case .unavailable: .tryAgainLater
        case .zoneRolledBack, .damaged, .internalError: .internalError
        }
    }

    /// Names the record layer's own code where the service's would hide it from a client that has
    /// to act on it.
    private static func reason(of error: RecordError) -> String {
        switch error.code {
        case .limitExceeded, .changeTokenExpired, .zoneRolledBack, .damaged, .encryptedDataReset:
            "\(error.code.rawValue): \(error.reason)"
        default: error.reason
        }
    }
}

extension WebError {
    /// The refusal of a method.
    static func method(_ asked: String, _ allowed: [String]) -> WebError {
        var error = WebError(
            .badRequest, "\(asked) is asked by " + allowed.joined(separator: " or "), status: 405)
        error.headers = [WebHeader("Allow", allowed.joined(separator: ", "))]
        return error
    }

    /// Writes the answer to a whole request.
    ///
    /// - Parameter identifier: names the answer in the log; as a UUID is written.
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

    /// Writes what stands in the place of a record.
    ///
    /// Strict clients accept no other key there, so it has neither an identifier nor a zone.
    func appendItem(recordName: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        if let recordName { writer.member("recordName", recordName) }
        append(to: &writer)
        writer.endObject()
    }

    /// Writes what stands in the place of a share.
    func appendItem(shortGUID: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.shortGUID(shortGUID)
        append(to: &writer)
        writer.endObject()
    }

    /// Writes what stands in the place of a zone.
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
