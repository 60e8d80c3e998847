extension RecordSchema {
    /// The schema after a record is saved; `nil` if it stays the same.
    ///
    /// In production it always stays the same. It is faster to check each field with
    /// ``RecordType/check(_:_:)`` first, and to call this only if a field is unknown.
    ///
    /// - Throws: ``RecordError/Code/invalidArguments`` for a type or field that cannot be saved,
    ///   such as a new one in production; ``RecordError/Code/limitExceeded`` if the schema would
    ///   be too large.
    /// - Complexity: one lookup for each field, if nothing is new.
    package func accepting(
        _ type: String, _ fields: [String: FieldShape], in environment: Environment
    ) throws(RecordError) -> RecordSchema? {
        guard environment == .production else { return try extended(by: type, fields: fields) }
        guard let known = types[type] else {
            let reason = "Cannot create new type \(type.told) in production schema"
            throw RecordError(.invalidArguments, reason)
        }
        let new = try known.newNames(fields, in: type)
        guard let name = new.first else { return nil }
        let field = "field '\(name.told)' in record '\(type.told)'"
        throw RecordError(
            .invalidArguments, "Cannot create or modify \(field) in production schema")
    }

    /// The schema extended by a record that is saved in development; `nil` if nothing is new.
    ///
    /// - Parameters:
    ///   - type: the record's type.
    ///   - fields: its fields that have a value.
    ///   - isIndexed: whether new fields get the indexes that CloudKit would give them.
    /// - Throws: ``RecordError/Code/invalidArguments`` for an invalid name, and for a field whose
    ///   shape is not the one in the schema; ``RecordError/Code/limitExceeded`` if the schema would
    ///   be too large.
    package func extended(
        by type: String, fields: [String: FieldShape], isIndexed: Bool = true
    ) throws(RecordError) -> RecordSchema? {
        let known = types[type]
        let names = try (known ?? RecordType()).newNames(fields, in: type)
        guard known == nil || !names.isEmpty else { return nil }
        if known == nil, let reason = RecordType.nameFault(type) {
            throw RecordError(.invalidArguments, "type '\(type.told)': \(reason)")
        }
        var grown = known ?? .automatic
        for name in names {
            guard let shape = fields[name] else { continue }
            let indexes = isIndexed ? FieldIndexes.automatic(for: shape) : []
            grown.set(name, to: SchemaField(shape, indexes: indexes))
        }
        var schema = following(version)
        schema.types[type] = grown
        if let fault = schema.sizeFaults().first {
            throw RecordError(.limitExceeded, "extend the schema by type '\(type.told)': \(fault)")
        }
        return schema
    }
}

extension RecordType {
    /// The type that a saved record adds to the schema, before it gets the record's fields.
    fileprivate static var automatic: RecordType {
        var type = RecordType()
        for (role, privileges) in automaticGrants { type.grant(privileges, to: role) }
        return type
    }

    /// The names, sorted, of those `fields` that the type does not have.
    ///
    /// - Throws: ``RecordError/Code/invalidArguments`` for the first of `fields`, by name, that
    ///   cannot be saved.
    fileprivate func newNames(
        _ fields: [String: FieldShape], in type: String
    ) throws(RecordError) -> [String] {
        var new: [String] = []
        var isRefused = false
        for (name, shape) in fields {
            switch check(name, shape) {
            case .known: continue
            case .new: new.append(name)
            case .mismatch, .reserved: isRefused = true
            }
        }
        guard isRefused || !new.isEmpty else { return [] }
        for (name, shape) in fields.sorted(by: { $0.key < $1.key }) {
            if let reason = refusal(name, shape, in: type) {
                throw RecordError(.invalidArguments, reason)
            }
        }
        return new.sorted()
    }

    /// Why a field cannot be saved even where new fields are allowed; `nil` if it can.
    private func refusal(_ name: String, _ shape: FieldShape, in type: String) -> String? {
        let place = "field '\(name.told)' of type '\(type.told)'"
        return switch check(name, shape) {
        case .known: nil
        case .reserved: "\(place) is the system's, and cannot be set"
        case .mismatch(let field):
            "invalid attempt to set value type \(shape.wireName) for field '\(name.told)' "
                + "for type '\(type.told)', defined to be: \(field.shape.wireName)"
        case .new:
            (Self.nameFault(name, of: type, shape) ?? shape.fault).map { "\(place): \($0)" }
        }
    }
}
