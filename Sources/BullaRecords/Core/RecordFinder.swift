/// How a record is found: its places in indexes, its references, and its assets.
struct RecordFinder {
    private let zone: ZoneIdentifier
    private let schema: RecordSchema

    init(_ zone: ZoneIdentifier, _ schema: RecordSchema) {
        (self.zone, self.schema) = (zone, schema)
    }

    /// The index that contains every record of a type.
    static let everyRecord = "___recordID"

    /// The record, with everything by which a backend can find it.
    ///
    /// - Throws: `invalidArguments` for a reference that has an action but refers to a record of
    ///   another zone.
    func entry(_ record: Record) throws(RecordError) -> RecordEntry {
        var entry = RecordEntry(
            record.opened.record.bytes, type: record.opened.record.deletion.text, tag: record.tag)
        entry.digest = try SealedRecord.digest(of: entry.bytes)
        let name = record.identifier.name
        for (field, kind) in record.opened.record.encryptedFields where kind.element == .asset {
            for element in try record.value(of: field)?.elements ?? [] {
                try add(element, field, &entry)
            }
        }
        for (field, value) in record.opened.plain {
            for element in value.elements { try add(element, field, &entry) }
        }
        entry.indexes = Self.indexes(name, record.opened.record, record.opened.plain, schema)
        return entry
    }

    /// A record's places in indexes, according to a schema.
    static func indexes(
        _ name: String, _ record: SealedRecord, _ plain: [String: RecordValue],
        _ schema: RecordSchema
    ) -> Set<[UInt8]> {
        let type = schema.types[record.type]
        let values = plain.map { ($0.key, $0.value) } + record.stamps.queried
        var indexes: Set<[UInt8]> = [
            IndexKey.place(.string(name), of: everyRecord, record.type, record: name)
        ]
        if let parent = record.parent {
            indexes.insert(IndexKey.child(of: parent.name, record: name))
        }
        if let share = record.share { indexes.insert(IndexKey.member(of: share, record: name)) }
        for (field, value) in values where type?[field]?.indexes.isSearched ?? false {
            for element in value.elements where element.kind.element.isOrdered {
                indexes.insert(IndexKey.place(element, of: field, record.type, record: name))
            }
        }
        return indexes
    }

    private func add(
        _ value: RecordValue, _ field: String, _ entry: inout RecordEntry
    ) throws(RecordError) {
        switch value {
        case .asset(let asset):
            guard entry.assets.insert(asset.asset).inserted else { return }
            let (sum, isBeyond) = entry.assetByteCount.addingReportingOverflow(asset.byteCount)
            entry.assetByteCount = isBeyond ? .max : sum
        case .reference(let reference):
            guard reference.record.zone == zone else {
                guard reference.action == .none else {
                    throw RecordError(
                        .invalidArguments,
                        "save field \(field): a reference with an action has to stay in its zone")
                }
                return
            }
            entry.references.insert(
                ReferenceEdge(target: reference.record.name, reference.action))
        default: break
        }
    }
}

extension FieldIndexes {
    /// Whether queries can filter or sort by the field.
    var isSearched: Bool { contains(.queryable) || contains(.sortable) }
}

extension RecordStamps {
    /// The values that queries can use besides the fields and the name.
    var queried: [(String, RecordValue)] {
        var values: [(String, RecordValue)] = [
            (SystemField.createTime.name, .timestamp(created.time)),
            (SystemField.modTime.name, .timestamp(modified.time)),
        ]
        if let account = created.account {
            values.append((SystemField.createdBy.name, .naming(account.userRecordName)))
        }
        if let account = modified.account {
            values.append((SystemField.modifiedBy.name, .naming(account.userRecordName)))
        }
        return values
    }
}
