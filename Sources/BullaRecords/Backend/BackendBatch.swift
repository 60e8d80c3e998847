/// Changes of one zone that are committed together, or not at all.
package struct BackendBatch: Sendable {
    package let zone: ZoneLife
    /// Tells this batch from all others: a caller that lost the reply asks by it what became of it.
    package let identifier: RandomIdentifier
    /// The epoch of the zone's keys that its records are sealed under.
    package let epoch: UInt32
    /// The version of the schema that they were checked against.
    package let schemaVersion: UInt64
    /// The head's version that the batch rests on; `nil` where the records' tags say enough.
    package let headVersion: UInt64?
    package let changes: [Change]
    /// Milliseconds since 1970, for what is deleted.
    package let time: Int64

    /// A change of one record; no batch has two of one name.
    package struct Change: Sendable {
        package let name: String
        package let expected: Expectation
        /// `nil` deletes the record.
        package let entry: RecordEntry?

        package init(_ name: String, expected: Expectation, entry: RecordEntry?) {
            (self.name, self.expected, self.entry) = (name, expected, entry)
        }
    }

    /// What must stand under a name for a change to be made.
    package enum Expectation: Hashable, Sendable {
        case nothing
        case tag(ChangeTag)
        case anything
    }

    package init(
        _ zone: ZoneLife, identifier: RandomIdentifier, epoch: UInt32, schemaVersion: UInt64,
        headVersion: UInt64? = nil, time: Int64, changes: [Change]
    ) {
        (self.zone, self.identifier, self.epoch) = (zone, identifier, epoch)
        (self.schemaVersion, self.headVersion) = (schemaVersion, headVersion)
        (self.time, self.changes) = (time, changes)
    }
}

extension BackendBatch {
    /// Refuses what no backend takes: two changes of one name, and names that hold a zero byte,
    /// behind which names end in keys.
    package func checkNames() throws(RecordError) {
        let attempt = "change zone \(zone.name)"
        guard Set(changes.map(\.name)).count == changes.count else {
            throw RecordError(.invalidArguments, "\(attempt): a record stands twice in a batch")
        }
        for change in changes {
            let targets = change.entry?.references.map(\.target) ?? []
            guard !(targets + [change.name]).contains(where: { $0.utf8.contains(0) }) else {
                throw RecordError(.invalidArguments, "\(attempt): a zero stands in a name")
            }
        }
    }
}

/// What became of a batch.
package enum BatchOutcome: Hashable, Sendable {
    /// It is durable; the first of its changes has this number, the others those that follow.
    case committed(first: UInt64)
    /// Nothing has changed: under these names stands what was not expected.
    case conflicts([Int: StoredRecord?])
    /// Nothing has changed: these of the changes bring assets that are not there, or no more.
    case lostAssets(Set<Int>)
    /// Nothing has changed: the zone's keys are in another epoch.
    case otherEpoch(UInt32)
    /// Nothing has changed: the schema has another version.
    case otherSchema(UInt64)
    /// Nothing has changed: somebody else changed the zone meanwhile.
    case otherHead(UInt64)
    /// Nothing has changed: this life of the zone has ended.
    case noZone
}
