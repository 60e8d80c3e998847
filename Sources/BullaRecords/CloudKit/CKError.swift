public import Foundation

/// The error domain of ``CKError``.
public let CKErrorDomain = "CKErrorDomain"
/// In the user info of `partialFailure`: a dictionary of errors, by item.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// In the user info of `serverRecordChanged`: the record as the client had last read or saved it;
/// absent for a new record, and for a record restored from an archive.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// In the user info of `serverRecordChanged`: the record in the store.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// In the user info of `serverRecordChanged`: the record that was to be saved.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// In the user info: the number of seconds after which it may be worth trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// In the user info of `zoneNotFound`: 1 if the keys that sealed the zone were reset.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"
/// In the user info: the record layer's own code, such as `damaged`, which tells apart errors that
/// share one ``CKError/Code``.
public let CKErrorRecordCodeKey = "BullaRecordErrorCode"

/// An error, with details for the caller.
///
/// The message can contain names that the caller gave, such as those of fields, and names of files,
/// but never a field's value or a cryptographic key.
public struct CKError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// What was attempted, and why it failed.
    public let message: String
    /// The number of seconds after which it may be worth trying again.
    public let retryAfterSeconds: Double?
    /// The record in the store, if it differs from the one that the client had read.
    public private(set) var serverRecord: CKRecord?
    /// The record that was to be saved.
    public private(set) var clientRecord: CKRecord?
    /// The record as the client had last read or saved it; `nil` for a new record, and for a record
    /// restored from an archive.
    public private(set) var ancestorRecord: CKRecord?
    /// Whether the keys that sealed a zone were reset.
    public let userDidResetEncryptedData: Bool
    private let recordCode: RecordError.Code?
    private var partialErrors: [Item: any Error] = [:]

    /// An item that failed, in an error for several items.
    enum Item: Hashable, Sendable {
        case record(CKRecordID)
        case zone(CKRecordZoneID)
    }

    /// Creates an error with a code and a message.
    public init(_ code: Code, _ message: String = "") {
        self.code = code
        self.message = message
        (retryAfterSeconds, userDidResetEncryptedData, recordCode) = (nil, false, nil)
    }

    package init(_ error: RecordError) {
        code = Code(error.code)
        message = error.reason + (error.detail.map { ": \($0)" } ?? "")
        retryAfterSeconds = error.retryAfter
        userDidResetEncryptedData = error.code == .encryptedDataReset
        recordCode = error.code
    }

    /// Creates an error for one record; if it says that others have changed the record, it includes
    /// the given versions of the record.
    init(
        _ error: RecordError, server: CKRecord?, client: CKRecord, ancestor: CKRecord?
    ) {
        self.init(error)
        guard error.code == .recordChanged else { return }
        (serverRecord, clientRecord, ancestorRecord) = (server, client, ancestor)
    }

    /// Creates an error for a request in which the given items failed.
    init(partial: [Item: any Error]) {
        self.init(.partialFailure, "\(partial.count) items failed")
        partialErrors = partial
    }

    /// The errors of the individual items, by ``CKRecord/ID`` or ``CKRecordZone/ID``; `nil` unless
    /// the code is `partialFailure`.
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

    /// All details, under CloudKit's keys and ``CKErrorRecordCodeKey``.
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
    /// The code's number in CloudKit.
    public var errorCode: Int { code.rawValue }
    /// ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }
    /// ``message``.
    public var errorDescription: String? { message }
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
