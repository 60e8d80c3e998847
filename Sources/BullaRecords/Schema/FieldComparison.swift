/// How a filter compares a field's value.
///
/// A negated filter makes the same comparison as the filter that it negates.
package enum FieldComparison: CaseIterable, Sendable {
    /// Whether it equals a value, or one of several.
    case equality
    /// Whether it sorts before or after a value.
    case order
    /// Whether it begins with a text.
    case prefix
    /// Whether the list contains a value, one of several, or all of them.
    case membership
    /// Whether the list contains a text with a prefix.
    case memberPrefix
    /// Whether the text contains these words.
    case words
    /// Whether the location is close to another one.
    case distance

    /// The name in messages.
    fileprivate var name: String {
        switch self {
        case .equality: "compared for equality"
        case .order: "compared by order"
        case .prefix: "compared by its beginning"
        case .membership: "asked for its members"
        case .memberPrefix: "asked for its members' beginnings"
        case .words: "searched for words"
        case .distance: "compared by distance"
        }
    }

    /// Whether values of this kind support the comparison.
    fileprivate func fits(_ kind: FieldKind) -> Bool {
        switch self {
        case .equality: kind.element != .asset
        case .order: !kind.isList && kind.element.isOrdered && kind.element != .reference
        case .prefix: !kind.isList && kind.element == .string
        case .membership: kind.isList && kind.element != .asset
        case .memberPrefix: kind.isList && kind.element == .string
        case .words: kind.element == .string
        case .distance: !kind.isList && kind.element == .location
        }
    }

    /// What a field needs for this comparison: at least one of the indexes in `oneOf`.
    ///
    /// If a field has none of them, messages say that it is not marked `name`. A sortable field's
    /// index supports all comparisons by order or by prefix.
    fileprivate var needs: (oneOf: FieldIndexes, name: String) {
        switch self {
        case .equality, .membership, .memberPrefix, .distance: (.queryable, "queryable")
        case .order, .prefix: ([.queryable, .sortable], "queryable")
        case .words: (.searchable, "searchable")
        }
    }
}

extension RecordSchema {
    /// The field by which a query filters, or why that is not allowed.
    package func canFilter(
        _ type: String, _ name: String, by comparison: FieldComparison
    ) -> Result<SchemaField, RecordError> {
        field(type, name).flatMap { field in
            guard comparison.fits(field.kind) else {
                return Self.refused(
                    type, name, "is \(field.shape), and cannot be \(comparison.name)")
            }
            let needs = comparison.needs
            return field.indexes.isDisjoint(with: needs.oneOf)
                ? Self.refused(type, name, "is not marked \(needs.name)") : .success(field)
        }
    }

    /// The field by which a query sorts, or why that is not allowed.
    package func canSort(_ type: String, _ name: String) -> Result<SchemaField, RecordError> {
        field(type, name).flatMap { field in
            field.indexes.contains(.sortable)
                ? .success(field) : Self.refused(type, name, "is not marked sortable")
        }
    }

    /// The fields that a search for words covers if it names no field, or why there can be no such
    /// search.
    package func canSearch(_ type: String) -> Result<[String], RecordError> {
        recordType(type).flatMap { known in
            let fields = known.fields.filter {
                $0.value.indexes.contains(.searchable) && !$0.value.isEncrypted
            }
            guard !fields.isEmpty else {
                let reason = "Type '\(type.told)' has no field that is marked searchable"
                return .failure(RecordError(.invalidArguments, reason))
            }
            return .success(fields.keys.sorted())
        }
    }

    /// The type whose records a query without a filter lists, or why there can be no such query.
    ///
    /// Such a query iterates over the records' names, which must therefore be queryable.
    package func canList(_ type: String) -> Result<RecordType, RecordError> {
        recordType(type).flatMap { known in
            let field = known[SystemField.recordID.name]
            return field?.indexes.contains(.queryable) == true
                ? .success(known)
                : Self.refused(
                    type, "recordName",
                    "is not marked queryable: a query without a filter needs ___recordID QUERYABLE")
        }
    }

    private func recordType(_ type: String) -> Result<RecordType, RecordError> {
        types[type].map { .success($0) }
            ?? .failure(RecordError(.unknownItem, "Did not find record type: \(type.told)"))
    }

    /// The field, if queries can use it, or why they cannot.
    private func field(_ type: String, _ name: String) -> Result<SchemaField, RecordError> {
        recordType(type).flatMap { known in
            guard let field = known[name] else {
                let reason = "Unknown field '\(name.told)' of type '\(type.told)'"
                return .failure(RecordError(.invalidArguments, reason))
            }
            guard !field.isEncrypted else {
                let reason = "is encrypted, and queries cannot filter or sort by it"
                return Self.refused(type, name, reason)
            }
            return .success(field)
        }
    }

    private static func refused<T>(
        _ type: String, _ name: String, _ reason: String
    ) -> Result<T, RecordError> {
        let place = "Field '\(name.told)' of type '\(type.told)'"
        return .failure(RecordError(.invalidArguments, "\(place) \(reason)"))
    }
}
