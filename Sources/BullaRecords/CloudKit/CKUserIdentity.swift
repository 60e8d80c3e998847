public import Foundation

/// A user, as seen by others.
public final class CKUserIdentity: NSObject, Sendable {
    /// The name of the user's record.
    public let userRecordID: CKRecord.ID?
    /// Whether the user has an account here: always true.
    public let hasiCloudAccount = true

    /// The information by which a user is looked up.
    public struct LookupInfo: Hashable, Sendable {
        /// The name of the user's record.
        public let userRecordID: CKRecord.ID?

        /// Lookup by the name of the user's record.
        public init(userRecordID: CKRecord.ID) { self.userRecordID = userRecordID }
    }

    /// The information by which the user was looked up.
    public var lookupInfo: LookupInfo? { userRecordID.map { LookupInfo(userRecordID: $0) } }

    init(_ userRecordID: CKRecord.ID) { self.userRecordID = userRecordID }

    convenience init(_ account: AccountIdentifier) {
        self.init(CKRecord.ID(recordName: account.userRecordName))
    }

    /// Whether both stand for the same user.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CKUserIdentity)?.userRecordID == userRecordID
    }

    /// A hash of the user's name.
    public override var hash: Int { userRecordID.hashValue }

    /// The name of the user's record, for people.
    public override var description: String { userRecordID?.recordName ?? "" }
}
