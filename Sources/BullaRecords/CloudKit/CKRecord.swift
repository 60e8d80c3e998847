public import Foundation
internal import Synchronization

/// A record: named fields with values.
///
/// Values that you set stay in this object until the record is saved. A field is either plain or
/// encrypted. You set plain fields through the record's subscript, and encrypted fields through
/// ``encryptedValues``. Each encrypted field is sealed separately; the store alone is not enough to
/// read it.
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
    // `@unchecked`: the subclass ``CKShare`` adds no state, and the mutable state here has a lock.

    /// The name of a record's type.
    public typealias RecordType = String
    /// The name of a field: a letter, then letters, digits and underscores.
    public typealias FieldKey = String
    /// Identifies a record.
    public typealias ID = CKRecordID
    /// A field's value that refers to another record.
    public typealias Reference = CKReference
    /// What happens to a record when a record that it refers to is deleted.
    public typealias ReferenceAction = CKReference.Action

    /// The record's type: a letter, then letters, digits and underscores.
    public let recordType: RecordType
    /// The record's name and zone.
    public let recordID: ID
    private let state: Mutex<RecordState>

    /// A new record, by default with a unique name.
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

    /// A record that was read; `id` is the reader's identifier for it.
    convenience init(
        _ record: Record, _ id: ID, viewer: AccountIdentifier?, _ shelf: AssetShelf?,
        desiredKeys: Set<String>? = nil
    ) {
        let state = RecordState(record, viewer: viewer, shelf, desiredKeys: desiredKeys)
        self.init(record.type, id, state)
    }

    /// A record that was read, as a ``CKShare`` if it is the record of a share.
    static func of(
        _ record: Record, _ id: ID, viewer: AccountIdentifier?, _ shelf: AssetShelf?,
        desiredKeys: Set<String>? = nil
    ) -> CKRecord {
        record.isShare
            ? CKShare(record, id, viewer: viewer, shelf, desiredKeys: desiredKeys)
            : CKRecord(record, id, viewer: viewer, shelf, desiredKeys: desiredKeys)
    }

    /// The present state of the record.
    var snapshot: RecordState { state.withLock { $0 } }

    /// Changes the record.
    func update(_ body: (inout RecordState) -> Void) { state.withLock { body(&$0) } }

    /// A copy with the same name, the same values and the same changes.
    public func copy(with zone: NSZone? = nil) -> Any { CKRecord(recordType, recordID, snapshot) }

    /// The tag of this version of the record; `nil` before the record was saved.
    public var recordChangeTag: String? { snapshot.metadata?.tag.text }

    /// When the record was first saved; `nil` before that.
    public var creationDate: Date? {
        snapshot.metadata.map { Date(milliseconds: $0.stamps.created.time) }
    }

    /// When the record was last saved; `nil` before its first save.
    public var modificationDate: Date? {
        snapshot.metadata.map { Date(milliseconds: $0.stamps.modified.time) }
    }

    /// The user of the record's first save; `nil` before that save, or if a server made it.
    ///
    /// If that user is the reader, the name is ``CKCurrentUserDefaultName``.
    public var creatorUserRecordID: ID? {
        snapshot.metadata.flatMap { Self.user($0.stamps.created.account, viewer: $0.viewer) }
    }

    /// The user who last saved the record, named as in ``creatorUserRecordID``.
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

    /// The parent record, which must exist when the record is saved; `nil` for none.
    ///
    /// Saving the record changes the change tag of its parent. The reference's action is ignored,
    /// and counts as `none`.
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

    /// The share of the record, or of its zone; `nil` if neither is shared.
    ///
    /// This is also `nil` for a record below a shared record, and for a share itself.
    public var share: Reference? {
        guard let name = snapshot.metadata?.share, recordType != CKRecordTypeShare else {
            return nil
        }
        let id = ID(recordName: name, zoneID: recordID.zoneID)
        return Reference(recordID: id, action: .none)
    }

    /// Sets the parent, or removes it.
    public func setParent(_ record: CKRecord?) { setParent(record?.recordID) }

    /// Sets the parent, or removes it.
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

    /// The key in `RecordState.refusals` for a parent that cannot be saved; no field has this name.
    private static let parentKey = "___parent"

    /// The type and the name, for people, without any values.
    public override var description: String { "\(recordType) \(recordID)" }
}
