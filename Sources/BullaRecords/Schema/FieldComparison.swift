/// What a filter does with a field's value.
///
/// Negations ask for the same as what they negate.
package enum FieldComparison: CaseIterable, Sendable {
    /// Whether it is a value, or one of several.
    case equality
    /// Whether it comes before or after a value.
    case order
    /// Whether it begins with a text.
    case prefix
    /// Whether the list has a value, or one of several, or all of them.
    case membership
    /// Whether the list has a text that begins so.
    case memberPrefix
    /// Whether the text has these words.
    case words

    /// As messages call it.
    fileprivate var name: String {
        switch self {
        case .equality: "compared for equality"
        case .order: "compared by order"
        case .prefix: "compared by its beginning"
        case .membership: "asked for its members"
        case .memberPrefix: "asked for its members' beginnings"
        case .words: "searched for words"
        }
    }

    /// Whether values of this kind can be compared so.
    fileprivate func fits(_ kind: FieldKind) -> Bool {
        switch self {
        case .equality: kind.element != .asset
        case .order: !kind.isList && kind.element.isOrdered && kind.element != .reference
        case .prefix: !kind.isList && kind.element == .string
        case .membership: kind.isList && kind.element != .asset
        case .memberPrefix: kind.isList && kind.element == .string
        case .words: kind.element == .string
        }
    }

    /// The indexes of which it needs one, and what a message calls a field that has one.
    ///
    /// A sortable field's index has all that comparisons by order look for.
    fileprivate var needs: (oneOf: FieldIndexes, name: String) {
        switch self {
        case .equality, .membership, .memberPrefix: (.queryable, "queryable")
        case .order, .prefix: ([.queryable, .sortable], "queryable")
        case .words: (.searchable, "searchable")
        }
    }
}

extension RecordSchema {
    /// The field that a query filters by, or why none may do so.
    package func canFilter(
        _ type: String, _ name: String, by comparison: FieldComparison
    ) -> Result<SchemaField, RecordError> {
        field(type, name).flatMap { field in
            guard comparison.fits(field.kind) else {
                return Self.refused(type, name, "is \(field.shape), and not \(comparison.name)")
            }
            let needs = comparison.needs
            return field.indexes.isDisjoint(with: needs.oneOf)
                ? Self.refused(type, name, "is not marked \(needs.name)") : .success(field)
        }
    }

    /// The field that a query sorts by, or why none may do so.
    package func canSort(_ type: String, _ name: String) -> Result<SchemaField, RecordError> {
        field(type, name).flatMap { field in
            field.indexes.contains(.sortable)
                ? .success(field) : Self.refused(type, name, "is not marked sortable")
        }
    }

    /// The type that a query lists without a filter, or why none may do so.
    ///
    /// Such a query walks along the records' names.
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

    /// The field, where it is one that queries may look at.
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
