public import Foundation

/// A field's value that refers to another record.
///
/// Known as ``CKRecord/Reference``.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// What happens to the referring record when the target is deleted.
    public enum Action: UInt, CaseIterable, Sendable {
        /// Nothing: the reference is then dangling.
        case none = 0
        /// The referring record is deleted as well; if more than 750 records refer to the target in
        /// this way, the deletion is refused.
        case deleteSelf = 1
        /// The deletion is refused, with ``CKError/Code/referenceViolation``.
        case validate = 2
    }

    /// The target of the reference.
    public let recordID: CKRecordID
    /// What happens to the referring record.
    public let action: Action

    /// A reference to a record, which need not exist.
    ///
    /// Unless the action is `none`, the record must be in the same zone.
    public init(recordID: CKRecordID, action: Action) {
        self.recordID = recordID
        self.action = action
    }

    /// A reference to a record.
    public convenience init(record: CKRecord, action: Action) {
        self.init(recordID: record.recordID, action: action)
    }

    /// Reads what ``encode(with:)`` wrote; `nil` if there is no valid data.
    public convenience init?(coder: NSCoder) {
        guard let record = coder.object(CKRecordID.self, forKey: "recordID"),
            let action = UInt(exactly: coder.decodeInteger(forKey: "action")),
            let action = Action(rawValue: action)
        else { return nil }
        self.init(recordID: record, action: action)
    }

    /// Writes the record and the action into an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "recordID")
        coder.encode(Int(action.rawValue), forKey: "action")
    }

    /// Whether archives support secure decoding: yes.
    public static var supportsSecureCoding: Bool { true }

    /// The same object, since it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both have the same record and the same action.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return recordID == other.recordID && action == other.action
    }

    /// A hash of the record and the action.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordID)
        hasher.combine(action)
        return hasher.finalize()
    }

    /// The record, for people.
    public override var description: String { "reference to \(recordID)" }
}

extension CKReference.Action {
    init(_ action: RecordReference.Action) {
        switch action {
        case .none: self = .none
        case .deleteSelf: self = .deleteSelf
        case .validate: self = .validate
        }
    }

    var stored: RecordReference.Action {
        switch self {
        case .none: .none
        case .deleteSelf: .deleteSelf
        case .validate: .validate
        }
    }
}
