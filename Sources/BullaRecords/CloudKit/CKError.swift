public import Foundation

/// The domain of all errors of ``CKError``.
public let CKErrorDomain = "CKErrorDomain"
/// In the user info of `partialFailure`: a dictionary of errors by the names of items.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// In the user info of `serverRecordChanged`: the record as the client had read it, where it was.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// In the user info of `serverRecordChanged`: the record that stands in the store.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// In the user info of `serverRecordChanged`: the record that was to be saved.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// In the user info: after how many seconds it may be worth trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// In the user info of `zoneNotFound`: 1 where the keys were reset that the zone was sealed under.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"
/// In the user info: what the record layer calls the failure, where ``CKError/Code`` has one code
/// for several, as `damaged` among those of `internalError`.
public let CKErrorRecordCodeKey = "BullaRecordErrorCode"

/// What went wrong, with what of it the caller may want to know.
///
/// The message holds names that the caller gave, and never a value or a key.
public struct CKError: Error, Sendable {
    /// What kind of failure it is.
    public let code: Code
    /// What was attempted, and what stood against it.
    public let message: String
    /// After how many seconds it may be worth trying again.
    public let retryAfterSeconds: Double?
    /// The record that stands in the store, where another than the client had read.
    public private(set) var serverRecord: CKRecord?
    /// The record that was to be saved.
    public private(set) var clientRecord: CKRecord?
    /// The record as the client had read it; `nil` for one that it has made.
    public private(set) var ancestorRecord: CKRecord?
    /// Whether the keys were reset that a zone was sealed under.
    public let userDidResetEncryptedData: Bool
    private let recordCode: RecordError.Code?
    private var partialErrors: [Item: any Error] = [:]

    /// What an error of several has failed for.
    enum Item: Hashable, Sendable {
        case record(CKRecordID)
        case zone(CKRecordZoneID)
    }

    /// An error of a kind, with a message.
    public init(_ code: Code, _ message: String = "") {
        self.code = code
        self.message = message
        (retryAfterSeconds, userDidResetEncryptedData, recordCode) = (nil, false, nil)
    }

    init(_ error: RecordError) {
        code = Code(error.code)
        message = error.reason + (error.detail.map { ": \($0)" } ?? "")
        retryAfterSeconds = error.retryAfter
        userDidResetEncryptedData = error.code == .encryptedDataReset
        recordCode = error.code
    }

    /// A record that has changed since it was read.
    init(
        _ error: RecordError, server: CKRecord?, client: CKRecord, ancestor: CKRecord?
    ) {
        self.init(error)
        guard error.code == .recordChanged else { return }
        (serverRecord, clientRecord, ancestorRecord) = (server, client, ancestor)
    }

    /// A failure of some items of several.
    init(partial: [Item: any Error]) {
        self.init(.partialFailure, "\(partial.count) items failed")
        partialErrors = partial
    }

    /// The errors of single items, by ``CKRecord/ID`` or ``CKRecordZone/ID``; `nil` where the error
    /// is no `partialFailure`.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        guard code == .partialFailure else { return nil }
        var errors: [AnyHashable: any Error] = [:]
        for (item, error) in partialErrors {
            switch item {
            case .record(let id): errors[id] = error
            case .zone(let id): errors[id] = error
            }
        }
        return errors
    }

    /// All of it under CloudKit's keys.
    public var userInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[CKErrorRetryAfterKey] = retryAfterSeconds.map { NSNumber(value: $0) }
        info[CKPartialErrorsByItemIDKey] = partialErrorsByItemID
        info[CKRecordChangedErrorServerRecordKey] = serverRecord
        info[CKRecordChangedErrorClientRecordKey] = clientRecord
        info[CKRecordChangedErrorAncestorRecordKey] = ancestorRecord
        info[CKErrorRecordCodeKey] = recordCode?.rawValue
        if userDidResetEncryptedData {
            info[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: 1)
        }
        return info
    }
}

extension CKError: CustomNSError, LocalizedError, CustomStringConvertible {
    /// ``CKErrorDomain``.
    public static var errorDomain: String { CKErrorDomain }
    /// The code's number, as CloudKit has it.
    public var errorCode: Int { code.rawValue }
    /// ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }
    /// ``message``.
    public var errorDescription: String? { message }
    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
