package import BullaRecords

/// One of the operations of `records/modify`.
package struct RecordOperation: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        package var isDeletion: Bool { self == .delete || self == .forceDelete }
    }

    /// The change of the record's parent.
    package enum ParentChange: Hashable, Sendable {
        case keep
        case remove
        case set(RecordIdentifier)
    }

    package let kind: Kind
    /// The name; `nil` if the service will name a new record.
    package let recordName: String?
    /// The type that the request gives, or else the type of the existing record.
    ///
    /// It is `nil` if the request gives none and the record does not exist or is to be deleted.
    package let recordType: String?
    package let recordChangeTag: String?
    package let zone: ZoneIdentifier
    package let fields: [WireField]
    package let parent: ParentChange
    /// The changes that only a share can have; `nil` for other records and for a deletion.
    package let share: WireShare?
    /// The error with which this operation, but not the others, is refused; the operation then has
    /// no fields.
    package let fault: RecordError?

    private static let kinds = Dictionary(
        uniqueKeysWithValues: Kind.allCases.map { ($0.rawValue, $0) })

    /// - Parameter zone: the zone of a record that names none.
    init(
        _ value: JSONValue, in zone: ZoneIdentifier, numbersAsStrings: Bool, _ context: WireContext
    ) throws(RecordError) {
        let value = try value.asObject()
        let named = try value.required("operationType")
        guard let kind = Self.kinds[try named.asText()] else {
            throw named.refusal("the name of an operation", found: "another name")
        }
        self.kind = kind
        let record = try value.required("record").asObject()
        let name =
            kind == .create
            ? try record.optionalText("recordName") : try record.requiredText("recordName")
        let said =
            kind == .create
            ? try record.requiredText("recordType") : try record.optionalText("recordType")
        // A zone's share has a fixed name; the share of a record names that record in `forRecord`.
        let isOfZone =
            name == ZoneSharing.recordName
            || said == SystemType.share && record.optional("forRecord") == nil
        recordName = name ?? (isOfZone ? ZoneSharing.recordName : nil)
        recordChangeTag = try record.optionalText("recordChangeTag")
        let place = try WireZone.optionalMember(of: record, context) ?? zone
        self.zone = place
        let found =
            said == nil && !kind.isDeletion
            ? recordName.flatMap { context.recordType(RecordIdentifier($0, in: place)) } : nil
        recordType = said ?? found
        let isShare = isOfZone || recordType == SystemType.share
        parent = try Self.parent(record, in: self.zone, context)
        let reader = FieldReader(
            context: context, recordName: recordName, recordType: recordType, zone: self.zone,
            numbersAsStrings: numbersAsStrings)
        let sent = kind.isDeletion ? nil : try record.optional("fields")?.asObject()
        do throws(RecordError) {
            let share = isShare && !kind.isDeletion ? try WireShare(record, context) : nil
            let read = try sent.map { sent throws(RecordError) in try reader.fields(sent) }
            (self.share, fields, fault) = (share, read ?? [], nil)
        } catch {
            (share, fields, fault) = (nil, [], error)
        }
    }

    private static func parent(
        _ record: JSONValue, in zone: ZoneIdentifier, _ context: WireContext
    ) throws(RecordError) -> ParentChange {
        guard let parent = record["parent"] else { return .keep }
        guard !parent.isNull else { return .remove }
        return .set(try RecordReference(parent, in: zone, context).record)
    }
}
