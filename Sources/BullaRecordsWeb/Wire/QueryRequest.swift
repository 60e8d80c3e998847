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
    /// The value that a filter compares with.
    ///
    /// The schema says the field's kind, and the comparator whether a list of values is meant: so a
    /// list is looked for in a number, and a number in a list.
    fileprivate func filterValue(
        _ name: String, _ sent: JSONValue, isList: Bool
    ) throws(RecordError) -> RecordValue? {
        let sent = try sent.asObject()
        if sent.optional("type") == nil, let value = sent.optional("value"), let recordType,
            let defined = context.definition(recordType, name)
        {
            return try self.value(
                value, FieldKind(defined.kind.element, isList: value.kind == .array))
        }
        let field = try field(name, sent)
        guard let value = field.value else { return nil }
        guard value.kind.isList || !isList else {
            throw sent.refusal("a list of values", found: "one value")
        }
        return value
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
        guard let name = SystemFields.name(of: try system.asText()) else {
            throw system.refusal("a field of the system", found: "another name")
        }
        return name
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
