/// A record as its reader gets it.
///
/// What it says was checked as a whole; an encrypted field is opened when it is looked at.
package struct Record: Sendable {
    package let identifier: RecordIdentifier
    package let opened: OpenedRecord
    /// Who takes part in its zone; `nil` where the zone is not shared.
    package let sharing: ZoneSharing?

    init(_ identifier: RecordIdentifier, _ opened: OpenedRecord, _ sharing: ZoneSharing?) {
        (self.identifier, self.opened, self.sharing) = (identifier, opened, sharing)
    }

    package var type: String { opened.record.type }
    package var tag: ChangeTag { opened.record.tag }
    package var stamps: RecordStamps { opened.record.stamps }
    package var parent: RecordIdentifier? { opened.record.parent }
    /// The name of the share that shows it to others; a share has none.
    package var share: String? { sharing == nil || isShare ? nil : ZoneSharing.recordName }
    /// Whether it is the share of its zone.
    package var isShare: Bool { type == SystemType.share }

    /// Names and kinds of all fields, and whether users have them encrypted: assets are sealed in
    /// any case.
    package var fields: [(name: String, kind: FieldKind, isEncrypted: Bool)] {
        opened.plain.map { ($0.key, $0.value.kind, false) }
            + opened.record.encryptedFields.map { ($0.name, $0.kind, $0.kind.element != .asset) }
    }

    /// A field's value; `nil` where the record has none of that name.
    ///
    /// - Throws: `damaged` where it does not open.
    package func value(of field: String) throws(RecordError) -> RecordValue? {
        if let value = opened.plain[field] { return value }
        return try opened.encryptedValue(field)
    }
}
