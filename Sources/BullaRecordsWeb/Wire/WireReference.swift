package import BullaRecords

extension RecordReference.Action {
    package var name: String {
        switch self {
        case .none: "NONE"
        case .deleteSelf: "DELETE_SELF"
        case .validate: "VALIDATE"
        }
    }
}

extension RecordReference {
    /// - Parameter zone: the zone of a reference that names none.
    init(_ value: JSONValue, in zone: ZoneIdentifier, _ context: WireContext) throws(RecordError) {
        let value = try value.asObject()
        let name = try value.requiredText("recordName")
        var action = Action.none
        if let named = value.optional("action") {
            guard let known = Action.allCases.first(where: { named.says($0.name) }) else {
                throw named.refusal("NONE, DELETE_SELF or VALIDATE", found: "something else")
            }
            action = known
        }
        let zone = try WireZone.optionalMember(of: value, context) ?? zone
        self.init(RecordIdentifier(name, in: zone), action: action)
    }

    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordName", record.name)
        writer.member("action", action.name)
        writer.key("zoneID")
        writer.zone(record.zone)
        writer.endObject()
    }
}
