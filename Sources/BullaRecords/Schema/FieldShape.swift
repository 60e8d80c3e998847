/// What a field holds, and whether it is sealed: what of a field never changes.
package struct FieldShape: Hashable, Sendable {
    package let kind: FieldKind
    package let isEncrypted: Bool

    package init(_ kind: FieldKind, isEncrypted: Bool = false) {
        self.kind = kind
        self.isEncrypted = isEncrypted
    }

    /// As messages of the service spell it: `STRING`, `ENCRYPTED_BYTES`, `INT64_LIST`, `ASSETID`.
    package var wireName: String {
        let element = kind.element == .asset ? "ASSETID" : kind.element.schemaName
        return (isEncrypted ? "ENCRYPTED_" : "") + element + (kind.isList ? "_LIST" : "")
    }
}

/// As a schema text spells it: `STRING`, `ENCRYPTED BYTES`, `LIST<ENCRYPTED STRING>`.
extension FieldShape: CustomStringConvertible {
    package var description: String {
        let element = (isEncrypted ? "ENCRYPTED " : "") + kind.element.schemaName
        return kind.isList ? "LIST<\(element)>" : element
    }
}

extension ValueKind {
    /// As a schema text spells it.
    package var schemaName: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSET"
        }
    }
}
