/// The codes as static members, for use in `catch`, and in `switch` over errors.
extension CKError {
    /// ``Code/internalError``.
    public static var internalError: Code { .internalError }
    /// ``Code/partialFailure``.
    public static var partialFailure: Code { .partialFailure }
    /// ``Code/networkUnavailable``.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// ``Code/networkFailure``.
    public static var networkFailure: Code { .networkFailure }
    /// ``Code/badContainer``.
    public static var badContainer: Code { .badContainer }
    /// ``Code/serviceUnavailable``.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// ``Code/requestRateLimited``.
    public static var requestRateLimited: Code { .requestRateLimited }
    /// ``Code/missingEntitlement``.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// ``Code/notAuthenticated``.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// ``Code/permissionFailure``.
    public static var permissionFailure: Code { .permissionFailure }
    /// ``Code/unknownItem``.
    public static var unknownItem: Code { .unknownItem }
    /// ``Code/invalidArguments``.
    public static var invalidArguments: Code { .invalidArguments }
    /// ``Code/resultsTruncated``.
    public static var resultsTruncated: Code { .resultsTruncated }
    /// ``Code/serverRecordChanged``.
    public static var serverRecordChanged: Code { .serverRecordChanged }
    /// ``Code/serverRejectedRequest``.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }
    /// ``Code/assetFileNotFound``.
    public static var assetFileNotFound: Code { .assetFileNotFound }
    /// ``Code/assetFileModified``.
    public static var assetFileModified: Code { .assetFileModified }
    /// ``Code/incompatibleVersion``.
    public static var incompatibleVersion: Code { .incompatibleVersion }
    /// ``Code/constraintViolation``.
    public static var constraintViolation: Code { .constraintViolation }
    /// ``Code/operationCancelled``.
    public static var operationCancelled: Code { .operationCancelled }
    /// ``Code/changeTokenExpired``.
    public static var changeTokenExpired: Code { .changeTokenExpired }
    /// ``Code/batchRequestFailed``.
    public static var batchRequestFailed: Code { .batchRequestFailed }
    /// ``Code/zoneBusy``.
    public static var zoneBusy: Code { .zoneBusy }
    /// ``Code/badDatabase``.
    public static var badDatabase: Code { .badDatabase }
    /// ``Code/quotaExceeded``.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// ``Code/zoneNotFound``.
    public static var zoneNotFound: Code { .zoneNotFound }
    /// ``Code/limitExceeded``.
    public static var limitExceeded: Code { .limitExceeded }
    /// ``Code/userDeletedZone``.
    public static var userDeletedZone: Code { .userDeletedZone }
    /// ``Code/tooManyParticipants``.
    public static var tooManyParticipants: Code { .tooManyParticipants }
    /// ``Code/alreadyShared``.
    public static var alreadyShared: Code { .alreadyShared }
    /// ``Code/referenceViolation``.
    public static var referenceViolation: Code { .referenceViolation }
    /// ``Code/managedAccountRestricted``.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    /// ``Code/participantMayNeedVerification``.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
    /// ``Code/serverResponseLost``.
    public static var serverResponseLost: Code { .serverResponseLost }
    /// ``Code/assetNotAvailable``.
    public static var assetNotAvailable: Code { .assetNotAvailable }
    /// ``Code/accountTemporarilyUnavailable``.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
}
