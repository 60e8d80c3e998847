extension CKError {
    /// The kinds of failure, with the numbers that CloudKit gives them.
    public enum Code: Int, CaseIterable, Sendable {
        /// The store failed, or did not return what was written.
        case internalError = 1
        /// Some items failed: ``CKError/partialErrorsByItemID`` has their errors.
        case partialFailure = 2
        /// The service cannot be reached; never thrown by a store on this machine.
        case networkUnavailable = 3
        /// The connection to the service broke, and what was requested may have been done; never
        /// thrown by a store on this machine.
        case networkFailure = 4
        /// No container with this identifier is open, or it was closed.
        case badContainer = 5
        /// The store is busy, or the machine is at its limit: try again later.
        case serviceUnavailable = 6
        /// Too many requests: try again later.
        case requestRateLimited = 7
        /// The program may not use the service.
        case missingEntitlement = 8
        /// The operation needs a signed-in user.
        case notAuthenticated = 9
        /// The user may not do this.
        case permissionFailure = 10
        /// There is no such record.
        case unknownItem = 11
        /// The request is invalid.
        case invalidArguments = 12
        /// There were more results than an answer can hold; no longer thrown.
        case resultsTruncated = 13
        /// The record has changed since it was read, or the record to create already exists.
        case serverRecordChanged = 14
        /// The store is in an older state than one that the caller has already seen.
        case serverRejectedRequest = 15
        /// The file of an asset does not exist.
        case assetFileNotFound = 16
        /// An asset's file changed while it was saved.
        case assetFileModified = 17
        /// The service does not accept a program this old.
        case incompatibleVersion = 18
        /// Another record has a value that must be unique.
        case constraintViolation = 19
        /// The caller has cancelled the operation.
        case operationCancelled = 20
        /// The change token is too old: start over without one.
        case changeTokenExpired = 21
        /// Another item of an atomic batch failed.
        case batchRequestFailed = 22
        /// Others are changing the zone: try again later.
        case zoneBusy = 23
        /// The database does not support the operation.
        case badDatabase = 24
        /// The account has no space left.
        case quotaExceeded = 25
        /// There is no such zone, or its keys were reset.
        case zoneNotFound = 26
        /// A request has too many items or bytes.
        case limitExceeded = 27
        /// The user has deleted the zone.
        case userDeletedZone = 28
        /// A share has too many participants.
        case tooManyParticipants = 29
        /// The record is in another share.
        case alreadyShared = 30
        /// Other records refer to the record with `validate`, or its parent does not exist.
        case referenceViolation = 31
        /// The administrator of the account does not allow the operation.
        case managedAccountRestricted = 32
        /// A participant's account has never used its keys here: its user has to sign in first.
        case participantMayNeedVerification = 33
        /// The answer was lost.
        case serverResponseLost = 34
        /// The asset does not exist, or no longer exists.
        case assetNotAvailable = 35
        /// The account's keys are temporarily unavailable.
        case accountTemporarilyUnavailable = 36

        /// Whether an error has this code, so that `catch CKError.unknownItem` works.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? CKError)?.code == code
        }

        init(_ code: RecordError.Code) {
            self =
                switch code {
                case .unknownItem: .unknownItem
                case .zoneNotFound, .encryptedDataReset: .zoneNotFound
                case .recordChanged: .serverRecordChanged
                case .batchFailed: .batchRequestFailed
                case .invalidArguments: .invalidArguments
                case .permissionFailure: .permissionFailure
                case .notAuthenticated, .authenticationFailed: .notAuthenticated
                case .participantUnknown: .participantMayNeedVerification
                case .alreadyShared: .alreadyShared
                case .tooManyParticipants: .tooManyParticipants
                case .quotaExceeded: .quotaExceeded
                case .limitExceeded: .limitExceeded
                case .referenceViolation: .referenceViolation
                case .changeTokenExpired: .changeTokenExpired
                case .zoneRolledBack: .serverRejectedRequest
                case .assetNotFound: .assetNotAvailable
                case .unavailable: .serviceUnavailable
                case .throttled: .requestRateLimited
                case .unreachable: .networkUnavailable
                case .interrupted: .networkFailure
                case .damaged, .internalError: .internalError
                }
        }
    }
}
