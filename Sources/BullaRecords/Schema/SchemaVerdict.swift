/// What a schema says to a field of a record that is saved.
package enum SchemaVerdict: Hashable, Sendable {
    /// The schema has it so.
    case known(SchemaField)
    /// The schema has no such field, or no such type.
    case new
    /// The schema has it in another shape, and keeps that.
    case mismatch(SchemaField)
    /// The name is one of the system's: nobody sets it.
    case reserved
}

extension RecordType {
    /// What the type says to a field of a record that is saved.
    ///
    /// - Complexity: one look-up; nothing is allocated.
    package func check(_ name: String, _ shape: FieldShape) -> SchemaVerdict {
        if SystemField.isReserved(name) { return .reserved }
        guard let field = fields[name] else { return .new }
        return field.shape == shape ? .known(field) : .mismatch(field)
    }
}

extension RecordSchema {
    /// What the schema says to a field of a record that is saved.
    ///
    /// A caller that checks all fields of a record looks the type up once, and asks that.
    ///
    /// - Complexity: two look-ups; nothing is allocated.
    package func check(
        _ type: String, _ name: String, _ kind: FieldKind, isEncrypted: Bool
    ) -> SchemaVerdict {
        let shape = FieldShape(kind, isEncrypted: isEncrypted)
        if let known = types[type] { return known.check(name, shape) }
        return SystemField.isReserved(name) ? .reserved : .new
    }
}
