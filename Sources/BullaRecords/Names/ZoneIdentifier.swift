/// Identifies a zone of a place by its name and its owner.
package struct ZoneIdentifier: Hashable, Sendable {
    package let name: String
    /// `nil` in the public database.
    package let owner: AccountIdentifier?

    package init(_ name: String, owner: AccountIdentifier?) {
        self.name = name
        self.owner = owner
    }

    /// The name of the default zone of a public or private database.
    package static let defaultName = "_defaultZone"

    /// Whether it is the default zone, which supports no atomic batches, no feed of changes, and no
    /// shares.
    package var isDefault: Bool { name == Self.defaultName }
}

/// Identifies a record by its name and its zone.
package struct RecordIdentifier: Hashable, Sendable {
    package let name: String
    package let zone: ZoneIdentifier

    package init(_ name: String, in zone: ZoneIdentifier) {
        self.name = name
        self.zone = zone
    }
}
