package import BullaRecords

/// What the kinds of fields are called on the wire.
package enum FieldTypeName {
    package static func name(of kind: FieldKind) -> String {
        kind.isList ? elementName(kind.element) + "_LIST" : elementName(kind.element)
    }

    /// What the schema calls a field, as messages say it.
    package static func name(of definition: FieldDefinition) -> String {
        (definition.isEncrypted ? "ENCRYPTED_" : "") + name(of: definition.kind)
    }

    /// What a name stands for; `nil` where it is none.
    ///
    /// `ENCRYPTED_STRING` is a string that is encrypted, however else that is said.
    package static func definition(_ name: String) -> FieldDefinition? { definitions[name] }

    private static let definitions: [String: FieldDefinition] = {
        var definitions: [String: FieldDefinition] = [:]
        for element in ValueKind.allCases {
            for isList in [false, true] {
                let kind = FieldKind(element, isList: isList)
                definitions[name(of: kind)] = FieldDefinition(kind)
                guard element.isSealable else { continue }
                let sealed = FieldDefinition(kind, isEncrypted: true)
                definitions[name(of: sealed)] = sealed
            }
        }
        return definitions
    }()

    private static func elementName(_ kind: ValueKind) -> String {
        switch kind {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        }
    }
}
