/// Changes of one zone that are committed atomically.
package struct BackendBatch: Sendable {
    package let zone: ZoneLife
    /// Identifies the batch, so that a caller that lost the reply can ask for the outcome.
    package let identifier: RandomIdentifier
    /// The epoch of the zone's keys under which the records are sealed.
    package let epoch: UInt32
    /// The schema version against which the records were checked.
    package let schemaVersion: UInt64
    /// The version that the zone's head must have; `nil` if any will do.
    package let headVersion: UInt64?
    package let changes: [Change]
    /// The time of the batch, in milliseconds since 1970; each of its deletions stores this time.
    package let time: Int64
    /// Seals the zone's next head, whose version already includes these changes.
    package let sealing: HeadSealing

    /// A change of one record; a batch has at most one per name.
    package struct Change: Sendable {
        package let name: String
        package let expected: Expectation
        /// `nil` deletes the record.
        package let entry: RecordEntry?

        package init(_ name: String, expected: Expectation, entry: RecordEntry?) {
            (self.name, self.expected, self.entry) = (name, expected, entry)
        }
    }

    /// The required state of a record before a change.
    package enum Expectation: Hashable, Sendable {
        case nothing
        case tag(ChangeTag)
        case anything
    }

    package init(
        _ zone: ZoneLife, identifier: RandomIdentifier, epoch: UInt32, schemaVersion: UInt64,
        headVersion: UInt64? = nil, time: Int64, changes: [Change],
        sealing: @escaping HeadSealing
    ) {
        (self.zone, self.identifier, self.epoch) = (zone, identifier, epoch)
        (self.schemaVersion, self.headVersion) = (schemaVersion, headVersion)
        (self.time, self.changes, self.sealing) = (time, changes, sealing)
    }
}

extension BackendBatch {
    /// Refuses a batch that changes a record twice, or in which a name contains a zero byte, which
    /// would end the name too early in a key.
    package func checkNames() throws(RecordError) {
        let attempt = "change zone \(zone.name)"
        guard Set(changes.map(\.name)).count == changes.count else {
            throw RecordError(.invalidArguments, "\(attempt): a batch has a record twice")
        }
        for change in changes {
            let targets = change.entry?.references.map(\.target) ?? []
            guard !(targets + [change.name]).contains(where: { $0.utf8.contains(0) }) else {
                throw RecordError(.invalidArguments, "\(attempt): a name has a zero byte")
            }
        }
    }
}

extension BackendBatch {
    /// The time before which the outcomes of batches are forgotten: slightly more than a day before
    /// this batch.
    ///
    /// Each commit forgets only a few of these outcomes.
    package var forgetsBefore: Int64 {
        let (time, isBelow) = time.subtractingReportingOverflow(25 * 3_600_000)
        return isBelow ? .min : time
    }
}

extension BackendBatch.Expectation {
    /// Whether a record with this tag meets the expectation; `tag` is `nil` if there is no record.
    package func isMet(by tag: ChangeTag?) -> Bool {
        switch self {
        case .anything: true
        case .nothing: tag == nil
        case .tag(let expected): tag == expected
        }
    }
}

/// The outcome of a batch.
package enum BatchOutcome: Hashable, Sendable {
    /// The batch is durable; its first change has this number, and the others the next numbers.
    case committed(first: UInt64)
    /// The batch changed nothing: some of its changes expected their records in another state.
    ///
    /// Each key is the index of such a change. The value is what is stored under the name of the
    /// change's record, or nil if nothing is stored there.
    case conflicts([Int: StoredRecord?])
    /// The batch changed nothing: these changes need assets that do not exist, no longer exist, or
    /// were uploaded for another database.
    case lostAssets(Set<Int>)
    /// The batch changed nothing: the zone's keys have this epoch, not the one that the batch
    /// expects.
    case otherEpoch(UInt32)
    /// The batch changed nothing: the schema has this version, not the one that the batch expects.
    case otherSchema(UInt64)
    /// The batch changed nothing: the zone's head has this version, because the zone was changed
    /// after the batch was planned.
    case otherHead(UInt64)
    /// The batch changed nothing: this life of the zone has ended.
    case noZone
}
