package import BullaRecords

/// A request of `records/query`.
package struct QueryRequest: Sendable {
    package let query: RecordQuery
    /// The zone to search; `nil` for all zones of the database, which the service refuses to
    /// search.
    package let zone: ZoneIdentifier?
    package let resultsLimit: Int
    /// The position to continue from; `nil` at the beginning.
    package let continuationMarker: [UInt8]?
    package let desiredKeys: Set<String>?
    package let numbersAsStrings: Bool
    /// Whether values that are sealed for users stay sealed, so that the answer leaves them out.
    package let keepsSealed: Bool
    /// Whether the answer includes the invitations of shares.
    package let hasInvitations: Bool

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        let isZoneWide = try value.flag("zoneWide") ?? false
        let named = try WireZone.readMember(of: value, context)
        guard !isZoneWide || value.optional("zoneID") == nil else {
            throw value.refusal("zoneID or zoneWide", found: "both")
        }
        zone = isZoneWide ? nil : named
        resultsLimit = try value.resultsLimit(context)
        continuationMarker = try value.optionalToken("continuationMarker")
        desiredKeys = try value.names("desiredKeys")
        numbersAsStrings = try value.flag("numbersAsStrings") ?? false
        keepsSealed = try value.flag("keepSealed") ?? false
        hasInvitations = try value.asksForInvitations()
        let asked = try value.required("query").asObject()
        let recordType = try asked.requiredText("recordType")
        let reader = FieldReader(
            context: context, recordName: nil, recordType: recordType, zone: named,
            numbersAsStrings: numbersAsStrings)
        let filters = try asked.oneOrMore("filterBy", context) { filter throws(RecordError) in
            try RecordQuery.Filter(filter, reader)
        }
        let sorts = try asked.oneOrMore("sortBy", context) { sort throws(RecordError) in
            RecordQuery.Sort(
                try sort.fieldName(), isAscending: try sort.flag("ascending") ?? true,
                from: try sort.optional("relativeLocation").map { place throws(RecordError) in
                    try Location(place)
                })
        }
        query = RecordQuery(recordType, filters: filters, sorts: sorts)
    }
}

extension RecordQuery.Filter {
    init(_ filter: JSONValue, _ reader: FieldReader) throws(RecordError) {
        let named = try filter.required("comparator")
        guard let comparator = RecordQuery.Comparator(wireName: try named.asText()) else {
            throw named.refusal("a comparator", found: "another name")
        }
        let field = try Self.field(of: filter, comparator)
        let sent = try filter.required("fieldValue").asObject()
        let value = try sent.required("value")
        guard value.kind == .array || !comparator.needsList else {
            throw value.refusal("a list of values")
        }
        let read = try reader.filterValue(field, sent, value)
        switch comparator.comparison {
        case .words: self.init(field, comparator, read.elements)
        case .distance:
            self.init(field, comparator, [read, .double(try Self.distance(of: filter))])
        default: self.init(field, comparator, comparator.takesElements ? read.elements : [read])
        }
    }

    /// The field that a filter names; all fields if a filter for words names none.
    private static func field(
        of filter: JSONValue, _ comparator: RecordQuery.Comparator
    ) throws(RecordError) -> String {
        let isNamed = ["fieldName", "systemFieldName"].contains { filter.optional($0) != nil }
        guard comparator.comparison == .words, !isNamed else { return try filter.fieldName() }
        return everySearchedField
    }

    /// The greatest distance that a filter allows, in meters.
    private static func distance(of filter: JSONValue) throws(RecordError) -> Double {
        let distance = try filter.required("distance")
        guard let meters = distance.double, meters.isFinite, meters >= 0 else {
            throw distance.refusal("a number of meters, not negative", found: "something else")
        }
        return meters
    }
}

extension FieldReader {
    /// The value that a filter compares with.
    ///
    /// If the request gives no type, the schema determines the kind of an element, and the JSON
    /// value determines whether the filter's value is a list. So a request can compare a number
    /// field with several numbers, or a list field with one element. In place of a reference, the
    /// request can also give a record's name as a string.
    fileprivate func filterValue(
        _ name: String, _ sent: JSONValue, _ value: JSONValue
    ) throws(RecordError) -> RecordValue {
        let shape = SystemField(rawValue: name)?.shape ?? defined(name)
        guard sent.optional("type") == nil, let shape else {
            guard let read = try field(name, sent).value else { throw value.refusal("a value") }
            return read
        }
        var element = shape.kind.element
        if element == .reference, let kind = try? inferred(value), kind.element == .string {
            element = .string
        }
        return try self.value(
            value, FieldKind(element, isList: value.kind == .array), of: name)
    }
}

extension JSONValue {
    /// The maximum number of records in the answer.
    func resultsLimit(_ context: WireContext) throws(RecordError) -> Int {
        guard let limit = optional("resultsLimit") else { return context.limits.resultLimit }
        let count = try limit.asCount()
        guard count > 0 else { throw limit.refusal("a number greater than zero", found: "zero") }
        return min(count, context.limits.resultLimit)
    }

    /// The field that a filter or sort names.
    fileprivate func fieldName() throws(RecordError) -> String {
        guard let system = optional("systemFieldName") else {
            let named = try required("fieldName")
            // Refuse the name that stands for all fields: to search all fields, a filter gives no
            // name at all.
            guard !named.says(RecordQuery.Filter.everySearchedField) else {
                throw named.refusal("the name of a field", found: "another name")
            }
            return try named.asText()
        }
        guard let field = SystemField(wireName: try system.asText()) else {
            throw system.refusal("the name of a system field", found: "another name")
        }
        return field.name
    }

    /// The results of `body` for the elements of a list, or for a single object in place of the
    /// list.
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
