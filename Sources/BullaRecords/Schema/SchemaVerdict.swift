/// The schema's verdict on a field of a record that is being saved.
package enum SchemaVerdict: Hashable, Sendable {
    /// The schema has the field with this shape.
    case known(SchemaField)
    /// The schema has no such field, or no such type.
    case new
    /// The schema has the field with another shape, and a field's shape never changes.
    case mismatch(SchemaField)
    /// The name is reserved for the system: nobody can set the field.
    case reserved
}

extension RecordType {
    /// The type's verdict on a field of a record that is being saved.
    ///
    /// - Complexity: one lookup; allocates nothing.
    package func check(_ name: String, _ shape: FieldShape) -> SchemaVerdict {
        if SystemField.isReserved(name) { return .reserved }
        guard let field = fields[name] else { return .new }
        return field.shape == shape ? .known(field) : .mismatch(field)
    }
}

extension RecordSchema {
    /// The schema's verdict on a field of a record that is being saved.
    ///
    /// A caller that checks all fields of a record should look up the type once, and call the
    /// type's method.
    ///
    /// - Complexity: two lookups; allocates nothing.
    package func check(
        _ type: String, _ name: String, _ kind: FieldKind, isEncrypted: Bool
    ) -> SchemaVerdict {
        let shape = FieldShape(kind, isEncrypted: isEncrypted)
        if let known = types[type] { return known.check(name, shape) }
        return SystemField.isReserved(name) ? .reserved : .new
    }
}
