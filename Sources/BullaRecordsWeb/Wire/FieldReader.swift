import BullaRecords

/// Reads the fields of a record in a request, or in a service's answer.
struct FieldReader {
    let context: WireContext
    /// The record's name; `nil` in a query, and if the service will name the record.
    let recordName: String?
    /// The record's type, by which its fields are looked up in the schema; `nil` if it is unknown.
    let recordType: String?
    /// The zone of references that name no zone.
    let zone: ZoneIdentifier
    /// Whether numbers may be quoted.
    let numbersAsStrings: Bool

    func fields(_ value: JSONValue) throws(RecordError) -> [WireField] {
        var fields: [WireField] = []
        fields.reserveCapacity(value.count)
        for (key, value) in try value.asObject().members {
            fields.append(try field(try key.asText(), value))
        }
        return fields
    }

    func field(_ name: String, _ field: JSONValue) throws(RecordError) -> WireField {
        let field = try field.asObject()
        // Clients that leave out null values send only the type.
        guard field["value"] != nil || field["type"] != nil else {
            throw field.refusal("the key value", found: "an object without it")
        }
        let said = try field.optional("type").map { type throws(RecordError) in
            guard let known = FieldShape(wireName: try type.asText()) else {
                throw type.refusal("the name of a type", found: "another name")
            }
            return known
        }
        let isEncrypted = try field.flag("isEncrypted") ?? said?.isEncrypted ?? false
        guard isEncrypted || said?.isEncrypted != true else {
            throw field.refusal("a type that is not encrypted", found: "one that is")
        }
        guard let value = field.optional("value") else {
            return WireField(name, nil, isEncrypted: isEncrypted)
        }
        if isEncrypted {
            guard let said else { throw untyped(name, field) }
            guard said.kind.element.isSealable else {
                throw field.refusal(
                    "a type that can be encrypted", found: said.kind.wireName)
            }
        }
        let known = said?.kind ?? defined(name)?.kind
        let kind = if let known { known } else { try inferred(value) }
        return WireField(name, try self.value(value, kind, of: name), isEncrypted: isEncrypted)
    }

    func defined(_ field: String) -> FieldShape? {
        recordType.flatMap { context.definition($0, field) }
    }

    /// The error for an encrypted value without a type, in the words that clients expect.
    private func untyped(_ name: String, _ field: JSONValue) -> RecordError {
        let begin = "invalid attempt to set value type ENCRYPTED_BYTES for field '\(name.told)'"
        let type = recordType.map { " for type '\($0.told)'" } ?? ""
        guard let defined = defined(name), defined.isEncrypted,
            defined.kind != FieldKind(.bytes)
        else {
            return RecordError(
                .invalidArguments, "\(begin)\(type): an encrypted value is sent with its type")
        }
        return RecordError(
            .invalidArguments,
            "\(begin)\(type), defined to be: \(defined.wireName)")
    }
}
