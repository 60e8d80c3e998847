/// A record as its reader gets it.
///
/// The record was verified as a whole; an encrypted field is opened at each access.
package struct Record: Sendable {
    package let identifier: RecordIdentifier
    package let opened: OpenedRecord
    /// The participants of its zone; `nil` if the zone is not shared.
    package let sharing: ZoneSharing?

    init(_ identifier: RecordIdentifier, _ opened: OpenedRecord, _ sharing: ZoneSharing?) {
        (self.identifier, self.opened, self.sharing) = (identifier, opened, sharing)
    }

    package var type: String { opened.record.type }
    package var tag: ChangeTag { opened.record.tag }
    package var stamps: RecordStamps { opened.record.stamps }
    package var parent: RecordIdentifier? { opened.record.parent }
    /// The name of the share that shows the record to others; `nil` for a share itself.
    package var share: String? { sharing == nil || isShare ? nil : ZoneSharing.recordName }
    /// Whether it is the share of its zone.
    package var isShare: Bool { type == SystemType.share }

    /// The names and kinds of all fields, and whether users declared them as encrypted; except in
    /// the public database, assets are sealed as well, but never declared so.
    package var fields: [(name: String, kind: FieldKind, isEncrypted: Bool)] {
        opened.plain.map { ($0.key, $0.value.kind, false) }
            + opened.record.encryptedFields.map { ($0.name, $0.kind, $0.kind.element != .asset) }
    }

    /// The names of the fields that are sealed for users: what they declared as encrypted, and in
    /// private and shared databases the assets.
    package var sealedFields: Set<String> { Set(opened.record.encryptedFields.map(\.name)) }

    /// A field's value; `nil` if the record has no such field.
    ///
    /// - Throws: `damaged` if it cannot be opened.
    package func value(of field: String) throws(RecordError) -> RecordValue? {
        if let value = opened.plain[field] { return value }
        return try opened.encryptedValue(field)
    }
}
