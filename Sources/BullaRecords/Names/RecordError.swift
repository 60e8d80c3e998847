/// What went wrong in the record layer, in a form to switch on and in a form to read.
///
/// Library and service each make of it what their callers know: a `CKError`, or an answer with a
/// `serverErrorCode`. The reason holds names that the caller gave, and never a value or a key.
package struct RecordError: Error, Hashable, Sendable {
    package enum Code: String, CaseIterable, Sendable {
        /// There is no such record.
        case unknownItem
        /// There is no such zone.
        case zoneNotFound
        /// The zone's keys were replaced: what it held cannot be opened.
        case encryptedDataReset
        /// The record has changed since the caller read it, or is there already.
        case recordChanged
        /// Another item of an atomic batch failed.
        case batchFailed
        /// The caller asks for what nobody may have.
        case invalidArguments
        /// The caller may not do this.
        case permissionFailure
        /// Nobody is signed in, and somebody has to be.
        case notAuthenticated
        /// The session or its token is not, or no more, one of this service.
        case authenticationFailed
        /// The account has never opened its keys here, so that nothing can be sealed for it.
        case participantUnknown
        /// More take part in a share than may.
        case tooManyParticipants
        /// The account has no room left.
        case quotaExceeded
        /// More items, or more bytes, than one request may have.
        case limitExceeded
        /// Records that must not lose it refer to the record.
        case referenceViolation
        /// The change token is too old, or of another life of the store.
        case changeTokenExpired
        /// The zone is older than what the caller has seen of it.
        case zoneRolledBack
        /// The stored bytes are not what was sealed.
        case damaged
        /// The asset is not there, or no more.
        case assetNotFound
        /// Try again later: others write, or the machine is at its limit.
        case unavailable
        /// The store failed.
        case internalError
    }

    package let code: Code
    package let reason: String
    /// After how many seconds it may be worth trying again.
    package let retryAfter: Double?
    /// What the store says, for its operator: it may name files, and goes to no client.
    package var detail: String?

    package init(_ code: Code, _ reason: String, retryAfter: Double? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }
}

extension RecordError: CustomStringConvertible {
    package var description: String {
        "\(code.rawValue): \(reason)" + (detail.map { " (\($0))" } ?? "")
    }
}
