extension RecordSchema {
    /// All errors in the schema, in a stable order; empty if it is valid.
    ///
    /// - Complexity: one pass over all fields. If there is no error so far, the schema is also
    ///   written as a text, once.
    package func faults() -> [SchemaFault] {
        var faults: [SchemaFault] = []
        for role in roles { faults += Self.faults(ofRole: role) }
        for (name, type) in types { faults += type.faults(named: name, roles: roles) }
        // A schema with invalid names cannot be written as a text.
        if faults.isEmpty { faults += sizeFaults() }
        return faults.sorted()
    }

    /// The error of a schema whose text is too long to be read back; empty if the text is short
    /// enough.
    func sizeFaults() -> [SchemaFault] {
        let byteCount = SchemaText.bytes(self).count
        guard byteCount > SchemaText.byteLimit else { return [] }
        let reason = "its text has \(byteCount) bytes, limit \(SchemaText.byteLimit)"
        return [SchemaFault("schema", reason)]
    }

    private static func faults(ofRole role: String) -> [SchemaFault] {
        let place = SchemaPart.role(role).description
        if SystemRole(rawValue: role) != nil {
            return [SchemaFault(place, "is the system's, and need not be created")]
        }
        return NameRules.isTypeName(role) ? [] : [SchemaFault(place, notWord)]
    }

    static let notWord = "a name is a letter, then letters, digits and underscores, at most 255"
}

extension RecordType {
    fileprivate func faults(named name: String, roles: Set<String>) -> [SchemaFault] {
        var faults: [SchemaFault] = []
        if let reason = Self.nameFault(name) {
            faults.append(SchemaFault(SchemaPart.type(name).description, reason))
        }
        for (fieldName, field) in fields {
            let place = SchemaPart.field(name, fieldName, field.shape).place
            let reasons = [Self.nameFault(fieldName, of: name, field.shape)] + field.reasons
            faults += reasons.compactMap { $0 }.map { SchemaFault(place, $0) }
        }
        for (role, privileges) in grants
        where SystemRole(rawValue: role) == nil && !roles.contains(role) {
            let place = SchemaPart.grant(name, role, privileges).description
            faults.append(SchemaFault(place, "the role is not created"))
        }
        return faults
    }

    /// Why a type cannot have this name; `nil` if it can.
    static func nameFault(_ name: String) -> String? {
        NameRules.isTypeName(name) || name == SystemType.share ? nil : RecordSchema.notWord
    }

    /// Why a field of this shape cannot have this name; `nil` if it can.
    static func nameFault(_ name: String, of type: String, _ shape: FieldShape) -> String? {
        if NameRules.isFieldName(name) { return nil }
        let system = SystemField(rawValue: name)?.shape
        let share = type == SystemType.share ? SystemType.shareFields[name] : nil
        if let own = system ?? share {
            return own == shape ? nil : "is the system's, and \(own)"
        }
        if SystemField.isReserved(name) { return "the system has no such field" }
        return RecordSchema.notWord
    }
}

extension SchemaField {
    /// The reasons why the field is invalid; empty if it is valid.
    fileprivate var reasons: [String] {
        let tooMuch = indexes.subtracting(.allowed(for: shape))
        guard !tooMuch.isEmpty else { return [shape.fault].compactMap { $0 } }
        let index = isEncrypted ? "an encrypted field has no index" : "\(shape) is not \(tooMuch)"
        return [shape.fault, index].compactMap { $0 }
    }
}

extension FieldShape {
    /// Why a field cannot have this shape; `nil` if it can.
    var fault: String? {
        guard isEncrypted, !kind.element.isSealable else { return nil }
        return "\(kind.element.schemaName) is never encrypted: the store follows it"
    }
}
