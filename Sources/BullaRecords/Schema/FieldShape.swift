/// The kind of a field, and whether it is encrypted: the part of a field's definition that never
/// changes.
package struct FieldShape: Hashable, Sendable {
    package let kind: FieldKind
    package let isEncrypted: Bool

    package init(_ kind: FieldKind, isEncrypted: Bool = false) {
        self.kind = kind
        self.isEncrypted = isEncrypted
    }

    /// The spelling in the service's messages: `STRING`, `ENCRYPTED_BYTES`, `INT64_LIST`,
    /// `ASSETID`.
    package var wireName: String {
        let element = kind.element == .asset ? "ASSETID" : kind.element.schemaName
        return (isEncrypted ? "ENCRYPTED_" : "") + element + (kind.isList ? "_LIST" : "")
    }
}

/// The spelling in a schema text: `STRING`, `ENCRYPTED BYTES`, `LIST<ENCRYPTED STRING>`.
extension FieldShape: CustomStringConvertible {
    package var description: String {
        let element = (isEncrypted ? "ENCRYPTED " : "") + kind.element.schemaName
        return kind.isList ? "LIST<\(element)>" : element
    }
}

extension ValueKind {
    /// The spelling in a schema text.
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
