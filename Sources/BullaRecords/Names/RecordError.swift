/// An error of the record layer, with a code for programs and a reason for people.
///
/// The library converts it to a `CKError`, and the service to an answer with a `serverErrorCode`.
/// The reason contains names that the caller gave, and never a value or a key.
package struct RecordError: Error, Hashable, Sendable {
    package enum Code: String, CaseIterable, Sendable {
        /// There is no such record.
        case unknownItem
        /// There is no such zone.
        case zoneNotFound
        /// The zone's keys were replaced: data that was sealed under the former keys cannot be
        /// opened.
        case encryptedDataReset
        /// The record has changed since the caller read it, or the record to create already exists.
        case recordChanged
        /// Another item of an atomic batch failed.
        case batchFailed
        /// The request is invalid.
        case invalidArguments
        /// The caller may not do this.
        case permissionFailure
        /// The request needs a signed-in user.
        case notAuthenticated
        /// The password or key is wrong, or the session or its token is not valid here, or no
        /// longer valid.
        case authenticationFailed
        /// The account has never used its keys here, so nothing can be sealed for it.
        case participantUnknown
        /// The record, or one that belongs with it, would be in two shares.
        case alreadyShared
        /// A share has too many participants.
        case tooManyParticipants
        /// The account has no space left.
        case quotaExceeded
        /// A request has too many items or bytes.
        case limitExceeded
        /// Other records refer to the record with `validate`, or its parent does not exist.
        case referenceViolation
        /// The change token is too old, or belongs to another timeline of the store.
        case changeTokenExpired
        /// The zone is older than the state that the caller has already seen.
        case zoneRolledBack
        /// The stored bytes are not what was sealed.
        case damaged
        /// The asset does not exist, or no longer exists.
        case assetNotFound
        /// The store is busy, or the machine is at its limit: try again later.
        case unavailable
        /// A service gets too many requests: try again later.
        case throttled
        /// A service cannot be reached; the request has not left this machine.
        case unreachable
        /// The connection to a service broke; the request may have been carried out.
        case interrupted
        /// The store failed.
        case internalError
    }

    package let code: Code
    package let reason: String
    /// The number of seconds after which it may be worth trying again.
    package let retryAfter: Double?
    /// The store's message for the operator: it may name files, and is never sent to a client.
    package var detail: String?
    /// Whether a call was refused because the database is at another site, or because another mover
    /// works on it.
    ///
    /// The refused call has done nothing. The caller has to look up the database's home again.
    package var hasMoved = false

    package init(_ code: Code, _ reason: String, retryAfter: Double? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }
}

extension RecordError {
    /// The error of a call for a database that is at another site, or on which another mover works.
    package static func moved(_ reason: String) -> RecordError {
        var error = RecordError(.unavailable, reason, retryAfter: 1)
        error.hasMoved = true
        return error
    }
}

extension RecordError: CustomStringConvertible {
    package var description: String {
        "\(code.rawValue): \(reason)" + (detail.map { " (\($0))" } ?? "")
    }
}
