import BullaRecords

extension RecordQuery {
    /// Writes the query; ``QueryRequest`` reads it.
    func append(to writer: inout JSONWriter, in zone: ZoneIdentifier) {
        writer.beginObject()
        writer.member("recordType", type)
        writer.list("filterBy", filters) { $0.append(to: &$1, in: zone) }
        writer.list("sortBy", sorts) { sort, writer in
            writer.beginObject()
            writer.member("fieldName", sort.field)
            writer.member("ascending", sort.isAscending)
            if let origin = sort.origin {
                writer.key("relativeLocation")
                origin.append(to: &writer)
            }
            writer.endObject()
        }
        writer.endObject()
    }

    /// The name of a field with a value that JSON cannot express; `nil` if there is none.
    package var unsayableField: String? {
        filters.first { !$0.values.allSatisfy { FieldWriter.isSayable($0) } }?.field
            ?? sorts.first { $0.origin?.isFinite == false }?.field
    }
}

extension RecordQuery.Filter {
    fileprivate func append(to writer: inout JSONWriter, in zone: ZoneIdentifier) {
        let fields = FieldWriter(
            form: AnswerForm { _, _ in WireAsset() }, record: RecordIdentifier("", in: zone))
        writer.beginObject()
        writer.member("comparator", comparator.wireName)
        if field != Self.everySearchedField { writer.member("fieldName", field) }
        if comparator == .near, case .double(let meters) = values.last {
            writer.key("distance")
            writer.double(meters)
        }
        writer.key("fieldValue")
        writer.beginObject()
        writer.key("value")
        if comparator.takesElements || comparator.comparison == .words && values.count > 1 {
            writer.beginArray()
            for value in values { fields.append(value, to: &writer) }
            writer.endArray()
            // Leave out the type of an empty list: the service finds it in the schema.
            if let kind = values.first?.kind.element {
                writer.member("type", FieldKind(kind, isList: true).wireName)
            }
        } else if let value = values.first {
            fields.append(value, to: &writer)
            writer.member("type", value.kind.wireName)
        } else {
            writer.null()
        }
        writer.endObject()
        writer.endObject()
    }
}
