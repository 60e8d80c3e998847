/// The contents of a record that a service has opened for its user.
package struct ToldRecord: RecordContents {
    package let type: String
    package let tag: ChangeTag
    package let stamps: RecordStamps
    package let parent: RecordIdentifier?
    /// The name of its share, as in ``Record/share``.
    package let share: String?
    /// If it is a share, its participants and tokens.
    package let sharing: ToldShare?
    /// Where its assets are.
    package let assets: any AssetSource
    private let values: [String: RecordChange.FieldChange]

    package init(
        _ type: String, _ tag: ChangeTag, _ stamps: RecordStamps, parent: RecordIdentifier? = nil,
        values: [String: RecordChange.FieldChange], share: String? = nil,
        sharing: ToldShare? = nil, assets: any AssetSource
    ) {
        self.sharing = sharing
        (self.type, self.tag, self.stamps, self.parent) = (type, tag, stamps, parent)
        (self.values, self.share, self.assets) = (values, share, assets)
    }

    package var fields: [(name: String, kind: FieldKind, isEncrypted: Bool)] {
        values.map { ($0.key, $0.value.value.kind, $0.value.isEncrypted) }
    }

    package var sealedFields: Set<String> { Set(values.filter(\.value.isEncrypted).keys) }

    package func isEncrypted(_ field: String) -> Bool? { values[field]?.isEncrypted }

    package func value(of field: String) -> RecordValue? { values[field]?.value }
}
