package import BullaRecords

/// What `records/query` is asked.
package struct QueryRequest: Sendable {
    package struct Filter: Hashable, Sendable {
        package let comparator: QueryComparator
        /// A field of the type, or of the system: then it begins with three underscores.
        package let fieldName: String
        package let value: RecordValue
    }

    package struct Sort: Hashable, Sendable {
        package let fieldName: String
        package let isAscending: Bool
    }

    package let recordType: String
    package let filters: [Filter]
    package let sorts: [Sort]
    /// `nil` where all zones of the database are asked.
    package let zone: ZoneIdentifier?
    package let resultsLimit: Int
    package let continuationMarker: String?
    package let desiredKeys: Set<String>?
    package let numbersAsStrings: Bool

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        let isZoneWide = try value.flag("zoneWide") ?? false
        let named = try WireZone.readMember(of: value, context)
        guard !isZoneWide || value.optional("zoneID") == nil else {
            throw value.refusal("zoneID or zoneWide", found: "both")
        }
        zone = isZoneWide ? nil : named
        resultsLimit = try value.resultsLimit(context)
        continuationMarker = try value.optionalText("continuationMarker")
        desiredKeys = try value.names("desiredKeys")
        numbersAsStrings = try value.flag("numbersAsStrings") ?? false
        let query = try value.required("query").asObject()
        recordType = try query.requiredText("recordType")
        let reader = FieldReader(
            context: context, recordType: recordType, zone: named,
            numbersAsStrings: numbersAsStrings)
        filters = try query.oneOrMore("filterBy", context) { filter throws(RecordError) in
            try Filter(filter, reader)
        }
        sorts = try query.oneOrMore("sortBy", context) { sort throws(RecordError) in
            Sort(
                fieldName: try sort.fieldName(),
                isAscending: try sort.flag("ascending") ?? true)
        }
    }
}

extension QueryRequest.Filter {
    init(_ value: JSONValue, _ reader: FieldReader) throws(RecordError) {
        let named = try value.required("comparator")
        guard let comparator = QueryComparator.named(try named.asText()) else {
            throw named.refusal("a comparator", found: "another name")
        }
        self.comparator = comparator
        fieldName = try value.fieldName()
        let sent = try value.required("fieldValue")
        guard let value = try reader.filterValue(fieldName, sent, isList: comparator.takesList)
        else { throw sent.refusal("a value", found: "null") }
        self.value = value
    }
}

extension FieldReader {
    /// The value that a filter compares with; `nil` where it is null.
    ///
    /// The schema says the field's kind, and the value whether it is a list of them: so several are
    /// looked for in a number, and one in a list.
    fileprivate func filterValue(
        _ name: String, _ sent: JSONValue, isList: Bool
    ) throws(RecordError) -> RecordValue? {
        let sent = try sent.asObject()
        guard let value = sent.optional("value") else { return nil }
        guard value.kind == .array || !isList else {
            throw value.refusal("a list of values")
        }
        let shape = SystemField(rawValue: name)?.shape ?? defined(name)
        if let element = shape?.kind.element, element == .reference {
            if let named = try references(value) { return named }
        }
        guard sent.optional("type") == nil, let shape else { return try field(name, sent).value }
        return try self.value(value, FieldKind(shape.kind.element, isList: value.kind == .array))
    }

    /// References that are told by the names of records alone; `nil` where they are told otherwise.
    private func references(_ value: JSONValue) throws(RecordError) -> RecordValue? {
        func reference(_ name: String) -> RecordValue {
            .reference(RecordReference(RecordIdentifier(name, in: zone)))
        }
        if let name = value.string { return reference(name) }
        guard value.elements.contains(where: { $0.kind == .string }) else { return nil }
        var references: [RecordValue] = []
        for name in value.elements { references.append(reference(try name.asText())) }
        return .list(.reference, references)
    }
}

extension JSONValue {
    /// How many records an answer may have.
    func resultsLimit(_ context: WireContext) throws(RecordError) -> Int {
        guard let limit = optional("resultsLimit") else { return context.limits.resultLimit }
        let count = try limit.asCount()
        guard count > 0 else { throw limit.refusal("a number greater than zero", found: "zero") }
        return min(count, context.limits.resultLimit)
    }

    /// The field that a filter or sort names.
    fileprivate func fieldName() throws(RecordError) -> String {
        guard let system = optional("systemFieldName") else {
            return try requiredText("fieldName")
        }
        guard let field = SystemField(wireName: try system.asText()) else {
            throw system.refusal("a field of the system", found: "another name")
        }
        return field.name
    }

    /// What each element of a list is, or the one object that stands in its place.
    fileprivate func oneOrMore<R>(
        _ key: String, _ context: WireContext,
        _ body: (JSONValue) throws(RecordError) -> R
    ) throws(RecordError) -> [R] {
        guard let value = optional(key) else { return [] }
        guard value.kind == .array else { return [try body(value.asObject())] }
        var results: [R] = []
        for element in try requiredList(key, limit: context.limits.itemLimit) {
            results.append(try body(element.asObject()))
        }
        return results
    }
}
