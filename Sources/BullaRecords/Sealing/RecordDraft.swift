internal import Bulla

/// A record to be sealed: the caller's fields, and the core's additions.
package struct RecordDraft: Sendable {
    package var name: String
    package var type: String
    package var fields: [String: RecordField]
    package var stamps: RecordStamps
    package var tag: ChangeTag
    /// The tag of the version that the draft replaces.
    package var formerTag: ChangeTag?
    /// Identifies this life of the record: a record that was deleted and created again has another
    /// identifier.
    package var incarnation: RandomIdentifier
    package var schemaVersion: UInt64
    package var parent: RecordIdentifier?
    /// The shares to which the record no longer belongs.
    package var traces: [ShareTrace] = []

    package init(
        _ name: String, type: String, fields: [String: RecordField], stamps: RecordStamps,
        tag: ChangeTag, incarnation: RandomIdentifier, schemaVersion: UInt64
    ) {
        (self.name, self.type, self.fields) = (name, type, fields)
        (self.stamps, self.tag, self.incarnation) = (stamps, tag, incarnation)
        self.schemaVersion = schemaVersion
    }

    /// The names of the wanted fields, sorted by their bytes.
    func names(where isWanted: (RecordField) -> Bool) -> [String] {
        fields.filter { isWanted($0.value) }.keys
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// A field of a record to be sealed.
package enum RecordField: Hashable, Sendable {
    case plain(RecordValue)
    case encrypted(RecordValue)
    /// An encrypted field that keeps its value, byte for byte.
    case kept

    package var value: RecordValue? {
        switch self {
        case .plain(let value), .encrypted(let value): value
        case .kept: nil
        }
    }
}

/// When a record was created and last changed, and by whom.
package struct RecordStamps: Hashable, Sendable {
    package struct Stamp: Hashable, Sendable {
        /// Milliseconds since 1970, in UTC.
        package var time: Int64
        /// The account; `nil` for a server, which signs its requests with a key.
        package var account: AccountIdentifier?
        package var device: String

        package init(time: Int64, account: AccountIdentifier?, device: String = "") {
            (self.time, self.account, self.device) = (time, account, device)
        }
    }

    package var created: Stamp
    package var modified: Stamp

    package init(created: Stamp, modified: Stamp) {
        (self.created, self.modified) = (created, modified)
    }
}

/// Identifies a version of a record: 12 random bytes.
package struct ChangeTag: Hashable, Sendable {
    package static let byteCount = 12
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The form for clients: 24 hexadecimal digits.
    package var text: String { Hexadecimal.text(bytes) }

    /// The tag that a text spells; `nil` for any other text.
    package init?(text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }
}
