import BullaRecords

/// The names of zones in requests and answers.
enum WireZone {
    /// Stands in for an owner's name: the zone belongs to the caller or, in the public database, to
    /// nobody.
    static let defaultOwnerName = "_defaultOwner"
    /// What CloudKit's native library writes in place of `_defaultOwner`.
    private static let nativeDefaultOwnerName = "__defaultOwner__"

    /// The zone that a dictionary names.
    static func read(
        _ value: JSONValue, _ context: WireContext
    ) throws(RecordError) -> ZoneIdentifier {
        let value = try value.asObject()
        let name = try value.optionalText("zoneName") ?? ZoneIdentifier.defaultName
        guard let owner = value.optional("ownerRecordName"), context.scope != .public else {
            return ZoneIdentifier(name, owner: context.defaultOwner)
        }
        let ownerName = try owner.asText()
        guard ownerName != defaultOwnerName, ownerName != nativeDefaultOwnerName else {
            return ZoneIdentifier(name, owner: context.defaultOwner)
        }
        guard let account = AccountIdentifier(userRecordName: ownerName) else {
            throw owner.refusal("the record name of a user", found: "another name")
        }
        return ZoneIdentifier(name, owner: account)
    }

    /// The zone under the key `zoneID`; the default zone if the key is missing.
    static func readMember(
        of value: JSONValue, _ context: WireContext
    ) throws(RecordError) -> ZoneIdentifier {
        try optionalMember(of: value, context)
            ?? ZoneIdentifier(ZoneIdentifier.defaultName, owner: context.defaultOwner)
    }

    static func optionalMember(
        of value: JSONValue, _ context: WireContext
    ) throws(RecordError) -> ZoneIdentifier? {
        guard let zone = value.optional("zoneID") else { return nil }
        return try read(zone, context)
    }
}

extension JSONWriter {
    mutating func zone(_ zone: ZoneIdentifier) {
        beginObject()
        member("zoneName", zone.name)
        member("ownerRecordName", zone.owner?.userRecordName ?? WireZone.defaultOwnerName)
        endObject()
    }

    package mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes a token in the form that clients store.
    mutating func member(_ key: String, token: [UInt8]) {
        self.key(key)
        base64(token)
    }

    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        int64(value)
    }
}
