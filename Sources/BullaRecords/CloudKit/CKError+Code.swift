extension CKError {
    /// The kinds of failure, by the numbers that CloudKit has for them.
    public enum Code: Int, CaseIterable, Sendable {
        /// The store failed, or its bytes are not what was written there.
        case internalError = 1
        /// Some items of several failed: ``CKError/partialErrorsByItemID`` tells which.
        case partialFailure = 2
        /// There is no network; never thrown by a store on this machine.
        case networkUnavailable = 3
        /// The network failed; never thrown by a store on this machine.
        case networkFailure = 4
        /// No container of this identifier is open, or it was closed.
        case badContainer = 5
        /// Others write, or the machine is at its limit: try again later.
        case serviceUnavailable = 6
        /// Too many requests: try again later.
        case requestRateLimited = 7
        /// The program may not use the service.
        case missingEntitlement = 8
        /// Nobody is signed in, and somebody has to be.
        case notAuthenticated = 9
        /// The user may not do this.
        case permissionFailure = 10
        /// There is no such record.
        case unknownItem = 11
        /// The caller asks for what nobody may have.
        case invalidArguments = 12
        /// There was more than one answer holds; not thrown any more.
        case resultsTruncated = 13
        /// The record has changed since it was read, or is there already.
        case serverRecordChanged = 14
        /// The store is older than what the caller has seen of it.
        case serverRejectedRequest = 15
        /// There is no file where an asset says.
        case assetFileNotFound = 16
        /// An asset's file was changed while it was saved.
        case assetFileModified = 17
        /// The program is older than the service accepts.
        case incompatibleVersion = 18
        /// Another record has a value that only one may have.
        case constraintViolation = 19
        /// The caller has cancelled the operation.
        case operationCancelled = 20
        /// The change token is too old: begin anew, without one.
        case changeTokenExpired = 21
        /// Another item of an atomic batch failed.
        case batchRequestFailed = 22
        /// Others change the zone: try again later.
        case zoneBusy = 23
        /// The database does not have what was asked of it.
        case badDatabase = 24
        /// The account has no room left.
        case quotaExceeded = 25
        /// There is no such zone, or its keys were reset.
        case zoneNotFound = 26
        /// More items, or more bytes, than one request may have.
        case limitExceeded = 27
        /// The user has deleted the zone.
        case userDeletedZone = 28
        /// More take part in a share than may.
        case tooManyParticipants = 29
        /// The record is in another share.
        case alreadyShared = 30
        /// Records that must not lose it refer to the record, or its parent is not there.
        case referenceViolation = 31
        /// Whoever manages the account forbids it.
        case managedAccountRestricted = 32
        /// A participant has to be verified first.
        case participantMayNeedVerification = 33
        /// The answer was lost.
        case serverResponseLost = 34
        /// The asset is not there, or no more.
        case assetNotAvailable = 35
        /// The account's keys are not at hand for the moment.
        case accountTemporarilyUnavailable = 36

        /// Whether an error is of this kind: what `catch CKError.unknownItem` asks.
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
                case .tooManyParticipants: .tooManyParticipants
                case .quotaExceeded: .quotaExceeded
                case .limitExceeded: .limitExceeded
                case .referenceViolation: .referenceViolation
                case .changeTokenExpired: .changeTokenExpired
                case .zoneRolledBack: .serverRejectedRequest
                case .assetNotFound: .assetNotAvailable
                case .unavailable: .serviceUnavailable
                case .damaged, .internalError: .internalError
                }
        }
    }
}
