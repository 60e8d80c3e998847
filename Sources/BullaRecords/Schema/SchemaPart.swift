/// One statement of a schema.
package enum SchemaPart: Hashable, Sendable {
    case role(String)
    case type(String)
    /// A field: type, name, and shape.
    case field(String, String, FieldShape)
    /// An index of a field: type, name of the field, and a set that contains exactly one kind of
    /// index.
    case index(String, String, FieldIndexes)
    /// A grant: type, role, and privileges.
    case grant(String, String, Privileges)

    /// What messages call the subject of the statement.
    package var place: String {
        switch self {
        case .role(let role): "role '\(role)'"
        case .type(let type), .grant(let type, _, _): "type '\(type)'"
        case .field(let type, let name, _), .index(let type, let name, _):
            "field '\(name)' of type '\(type)'"
        }
    }

    /// Whether records can hold data that depends on the statement.
    package var holdsData: Bool {
        switch self {
        case .type, .field: true
        case .role, .index, .grant: false
        }
    }
}

extension SchemaPart: CustomStringConvertible {
    package var description: String {
        switch self {
        case .role, .type: place
        case .field(_, _, let shape): "\(place): \(shape)"
        case .index(_, _, let index): "\(place): \(index)"
        case .grant(_, let role, let privileges): "\(place): \(privileges) to '\(role)'"
        }
    }
}

extension RecordSchema {
    /// All statements of the schema, except those that every schema contains.
    package var parts: Set<SchemaPart> {
        var parts = Set(roles.map { SchemaPart.role($0) })
        for (typeName, type) in types {
            parts.insert(.type(typeName))
            for (name, field) in type.fields {
                if SystemField.fields[name]?.shape != field.shape {
                    parts.insert(.field(typeName, name, field.shape))
                }
                for index in field.indexes.each { parts.insert(.index(typeName, name, index)) }
            }
            for (role, privileges) in type.grants {
                for each in privileges.each { parts.insert(.grant(typeName, role, each)) }
            }
        }
        return parts
    }
}
