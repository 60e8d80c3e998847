/// A record as its reader gets it.
///
/// A record from a store has been verified as a whole, but each of its encrypted fields is opened
/// only when it is read, and again at each reading. A record from a service comes with all its
/// values opened.
package struct Record: Sendable {
    package let identifier: RecordIdentifier
    /// The share that contains the record: its zone's share, or a share of a record; `nil` if no
    /// share contains it, and for records of a service.
    package let sharing: ZoneSharing?
    /// If the record is a share and the reader owns its zone, the tokens of the invitations that
    /// nobody has taken.
    package let invitations: [RandomIdentifier: String]
    /// Whether the reader takes part in a share whose root is this record, and so sees nothing
    /// above it.
    let hidesParent: Bool
    private let contents: any RecordContents
    private let openedHere: OpenedRecord?

    init(
        _ identifier: RecordIdentifier, _ opened: OpenedRecord, _ sharing: ZoneSharing?,
        invitations: [RandomIdentifier: String] = [:], hidesParent: Bool = false
    ) {
        (self.identifier, self.sharing, self.invitations) = (identifier, sharing, invitations)
        (contents, openedHere, self.hidesParent) = (opened, opened, hidesParent)
    }

    /// A record that a service has opened.
    package init(_ identifier: RecordIdentifier, _ told: ToldRecord) {
        (self.identifier, sharing, contents, openedHere) = (identifier, nil, told, nil)
        (invitations, hidesParent) = ([:], false)
    }

    /// The record as this process opened it; never use it for a record that a service has opened.
    package var opened: OpenedRecord {
        guard let openedHere else { preconditionFailure("the record is one of a store") }
        return openedHere
    }

    /// The record as a service has told it; `nil` for a record of a store.
    package var told: ToldRecord? { contents as? ToldRecord }

    package var type: String { contents.type }
    package var tag: ChangeTag { contents.tag }
    package var stamps: RecordStamps { contents.stamps }
    /// The parent; `nil` for none, and for a participant in a share of this record, because the
    /// share does not include the parent.
    package var parent: RecordIdentifier? { hidesParent ? nil : contents.parent }
    /// The name of the share of the record's zone, or of the share whose root is this record; `nil`
    /// for every other record, such as one below a root, and for a share itself.
    package var share: String? {
        guard !isShare else { return nil }
        guard let sharing else { return told?.share }
        return sharing.root == nil || sharing.root == identifier.name ? sharing.name : nil
    }
    /// Whether it is a share.
    package var isShare: Bool { type == SystemType.share }

    /// The names and kinds of all fields, and whether users declared each as encrypted.
    ///
    /// Assets are never declared so, but are sealed in private and shared databases.
    package var fields: [(name: String, kind: FieldKind, isEncrypted: Bool)] { contents.fields }

    /// The names of the fields that are sealed for users: those that users declared as encrypted
    /// and, in private and shared databases, the assets.
    package var sealedFields: Set<String> { contents.sealedFields }

    /// Whether users declared a field as encrypted; `nil` if there is no such field.
    func isEncrypted(_ field: String) -> Bool? { contents.isEncrypted(field) }

    /// A field's value; `nil` if the record has no such field.
    ///
    /// - Throws: `damaged` if it cannot be opened.
    package func value(of field: String) throws(RecordError) -> RecordValue? {
        try contents.value(of: field)
    }
}

/// A description shows neither tokens nor values.
extension Record: CustomStringConvertible, CustomReflectable {
    package var description: String { "record \(identifier.name), a \(type)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a record contains, no matter where it was opened; the members mean the same as those of
/// ``Record``.
package protocol RecordContents: Sendable {
    var type: String { get }
    var tag: ChangeTag { get }
    var stamps: RecordStamps { get }
    var parent: RecordIdentifier? { get }
    var fields: [(name: String, kind: FieldKind, isEncrypted: Bool)] { get }
    var sealedFields: Set<String> { get }
    func isEncrypted(_ field: String) -> Bool?
    func value(of field: String) throws(RecordError) -> RecordValue?
}

extension OpenedRecord: RecordContents {
    package var type: String { record.type }
    package var tag: ChangeTag { record.tag }
    package var stamps: RecordStamps { record.stamps }
    package var parent: RecordIdentifier? { record.parent }

    package var fields: [(name: String, kind: FieldKind, isEncrypted: Bool)] {
        plain.map { ($0.key, $0.value.kind, false) }
            + record.encryptedFields.map { ($0.name, $0.kind, $0.kind.element != .asset) }
    }

    package var sealedFields: Set<String> { Set(record.encryptedFields.map(\.name)) }

    package func isEncrypted(_ field: String) -> Bool? {
        if plain[field] != nil { return false }
        return record.field(field).map { $0.kind.element != .asset }
    }

    package func value(of field: String) throws(RecordError) -> RecordValue? {
        if let value = plain[field] { return value }
        return try encryptedValue(field)
    }
}
