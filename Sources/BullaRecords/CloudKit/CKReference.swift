public import Foundation

/// A field's value that names another record.
///
/// Known as ``CKRecord/Reference``.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// What becomes of the record that names, when the named one is deleted.
    public enum Action: UInt, CaseIterable, Sendable {
        /// Nothing: the reference then leads nowhere.
        case none = 0
        /// It is deleted too; at most 750 records may name one so.
        case deleteSelf = 1
        /// The deletion is refused, with ``CKError/Code/referenceViolation``.
        case validate = 2
    }

    /// The record that is named.
    public let recordID: CKRecordID
    /// What becomes of the record that names.
    public let action: Action

    /// Names a record; whether there is one is not looked up.
    ///
    /// With another action than `none` it has to be of the same zone.
    public init(recordID: CKRecordID, action: Action) {
        self.recordID = recordID
        self.action = action
    }

    /// Names a record.
    public convenience init(record: CKRecord, action: Action) {
        self.init(recordID: record.recordID, action: action)
    }

    /// Reads what ``encode(with:)`` has written; `nil` where that is not there.
    public convenience init?(coder: NSCoder) {
        guard let record = coder.object(CKRecordID.self, forKey: "recordID"),
            let action = UInt(exactly: coder.decodeInteger(forKey: "action")),
            let action = Action(rawValue: action)
        else { return nil }
        self.init(recordID: record, action: action)
    }

    /// Writes record and action into an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "recordID")
        coder.encode(Int(action.rawValue), forKey: "action")
    }

    /// Archives of it may be read securely.
    public static var supportsSecureCoding: Bool { true }

    /// The same object: nothing changes it.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both name the same record with the same action.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return recordID == other.recordID && action == other.action
    }

    /// A hash of record and action.
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
