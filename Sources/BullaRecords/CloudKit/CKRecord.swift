public import Foundation
internal import Synchronization

/// A record: named fields with values.
///
/// What is set is kept here until the record is saved. A field is either plain, and set by the
/// record's subscript, or encrypted, and set by ``encryptedValues``: sealed by itself, so that
/// nobody reads it who has the store alone.
///
/// ```swift
/// let note = CKRecord(recordType: "Note")
/// note["title"] = "Groceries"
/// note.encryptedValues["text"] = "Milk, bread"
/// try await container.privateCloudDatabase.save(note)
/// ```
///
/// Any number of tasks may use one record. Values that no field can hold are refused when the
/// record is saved, with ``CKError/Code/invalidArguments``.
public class CKRecord: NSObject, NSCopying, @unchecked Sendable {
    // `@unchecked`: ``CKShare`` is one too, and adds nothing; what changes here has a lock.

    /// The name of a record's type.
    public typealias RecordType = String
    /// The name of a field: a letter, then letters, digits and underscores.
    public typealias FieldKey = String
    /// Names a record.
    public typealias ID = CKRecordID
    /// A field's value that names another record.
    public typealias Reference = CKReference
    /// What becomes of a record that names another, when that is deleted.
    public typealias ReferenceAction = CKReference.Action

    /// The record's type: a letter, then letters, digits and underscores.
    public let recordType: RecordType
    /// The record's name and zone.
    public let recordID: ID
    private let state: Mutex<RecordState>

    /// A new record, of a name that nothing else has as a rule.
    public convenience init(recordType: RecordType, recordID: ID = ID()) {
        self.init(recordType, recordID, RecordState())
    }

    /// A new record in a zone.
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    init(_ type: RecordType, _ id: ID, _ state: RecordState) {
        (recordType, recordID) = (type, id)
        self.state = Mutex(state)
    }

    /// A record that was read, under the name that its reader has for it.
    convenience init(
        _ record: Record, _ id: ID, viewer: AccountIdentifier?, _ shelf: AssetShelf?,
        desiredKeys: Set<String>? = nil
    ) {
        let state = RecordState(record, viewer: viewer, shelf, desiredKeys: desiredKeys)
        self.init(record.type, id, state)
    }

    /// A record that was read: a ``CKShare`` where it is one.
    static func of(
        _ record: Record, _ id: ID, viewer: AccountIdentifier?, _ shelf: AssetShelf?,
        desiredKeys: Set<String>? = nil
    ) -> CKRecord {
        record.isShare
            ? CKShare(record, id, viewer: viewer, shelf, desiredKeys: desiredKeys)
            : CKRecord(record, id, viewer: viewer, shelf, desiredKeys: desiredKeys)
    }

    /// The record as it is now.
    var snapshot: RecordState { state.withLock { $0 } }

    /// Changes the record.
    func update(_ body: (inout RecordState) -> Void) { state.withLock { body(&$0) } }

    /// Another record of the same name, with the same values and the same changes.
    public func copy(with zone: NSZone? = nil) -> Any { CKRecord(recordType, recordID, snapshot) }

    /// What tells this version of the record from all others; `nil` before it was saved.
    public var recordChangeTag: String? { snapshot.metadata?.tag.text }

    /// When it was saved first; `nil` before.
    public var creationDate: Date? {
        snapshot.metadata.map { Date(milliseconds: $0.stamps.created.time) }
    }

    /// When it was saved last; `nil` before it was at all.
    public var modificationDate: Date? {
        snapshot.metadata.map { Date(milliseconds: $0.stamps.modified.time) }
    }

    /// Who saved it first: ``CKCurrentUserDefaultName`` is whoever has read it; `nil` for a server,
    /// and before it was saved.
    public var creatorUserRecordID: ID? {
        snapshot.metadata.flatMap { Self.user($0.stamps.created.account, viewer: $0.viewer) }
    }

    /// Who saved it last, likewise.
    public var lastModifiedUserRecordID: ID? {
        snapshot.metadata.flatMap { Self.user($0.stamps.modified.account, viewer: $0.viewer) }
    }

    private static func user(_ account: AccountIdentifier?, viewer: AccountIdentifier?) -> ID? {
        account.map { account in
            ID(
                recordName: account == viewer
                    ? CKCurrentUserDefaultName : account.userRecordName)
        }
    }

    /// The record that it belongs to, which has to be there when it is saved; `nil` for none.
    ///
    /// Saving the record gives its parent another change tag. An action other than `none` is taken
    /// for `none`.
    public var parent: Reference? {
        get {
            let state = snapshot
            let parent: RecordIdentifier? =
                switch state.parent {
                case .record(let record): record
                case .some(.none): nil
                case nil: state.metadata?.parent
                }
            return parent.map {
                Reference(recordID: $0.recordID(home: state.home), action: .none)
            }
        }
        set { setParent(newValue?.recordID) }
    }

    /// The share of its zone, where its owner shares that; `nil` for the share itself.
    public var share: Reference? {
        guard snapshot.metadata?.isShared == true, recordType != CKRecordTypeShare else {
            return nil
        }
        let id = ID(recordName: CKRecordNameZoneWideShare, zoneID: recordID.zoneID)
        return Reference(recordID: id, action: .none)
    }

    /// Makes another record its parent, or none.
    public func setParent(_ record: CKRecord?) { setParent(record?.recordID) }

    /// Makes another record its parent, or none.
    public func setParent(_ recordID: ID?) {
        update { state in
            state.refusals[Self.parentKey] = nil
            guard let recordID else {
                state.parent = RecordChange.ParentChange.none
                return
            }
            do throws(RecordError) { state.parent = .record(try recordID.identifier()) } catch {
                state.refusals[Self.parentKey] = error.reason
            }
        }
    }

    /// No field is called so.
    private static let parentKey = "___parent"

    /// Type and name, for people; no value.
    public override var description: String { "\(recordType) \(recordID)" }
}
