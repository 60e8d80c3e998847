/// What a verification of a zone's records found.
package struct ZoneVerification: Sendable {
    package private(set) var recordCount = 0
    /// How many records are not what was sealed for their place.
    package private(set) var failureCount = 0
    /// The errors of the first of them.
    package private(set) var failures: [(name: String, error: RecordError)] = []
    /// Whether the zone has the records that were committed last: none of them is missing, older,
    /// or one too many.
    package fileprivate(set) var isComplete = false

    /// What is wrong with the zone; `nil` if it is sound.
    package func fault(in zone: String) -> RecordError? {
        if let first = failures.first {
            return RecordError(
                .damaged,
                "verify zone \(zone): of \(recordCount) records, \(failureCount) do not open, and "
                    + "the first of them is \(first.name)")
        }
        guard !isComplete else { return nil }
        return RecordError(
            .damaged,
            "verify zone \(zone): some of its records are missing, or older than the last change")
    }

    /// How many errors are kept.
    private static let failureLimit = 100

    fileprivate mutating func count() { recordCount += 1 }

    fileprivate mutating func count(_ name: String, _ error: RecordError) {
        failureCount += 1
        if failures.count < Self.failureLimit { failures.append((name, error)) }
    }
}

extension DatabaseView {
    /// Opens all records of a zone, and checks that they are those that were committed last.
    ///
    /// It tells whether a backend has put back an older version of a record, or a deleted one, or
    /// hidden one. It does not tell if the whole zone is older; a token of the zone does.
    ///
    /// - Throws: `zoneNotFound`, `encryptedDataReset`; `damaged` if the zone's head was altered;
    ///   `unavailable` if it has to be repeated.
    /// - Complexity: reads every record of the zone, as they were at one moment.
    package func verify(_ name: String) throws(RecordError) -> ZoneVerification {
        let zone = try self.zone(name)
        return try core.verification(of: zone.life) { record, name throws(RecordError) in
            _ = try zone.record(record.bytes, name)
        }
    }
}

extension RecordCore {
    /// Verifies a zone without its owner's keys, as ``DatabaseView/verify(_:)`` does.
    ///
    /// It opens the plain values of each record. It does not open what only users' keys open, so a
    /// record whose encrypted part was altered counts as sound.
    package func verify(_ head: StoredZone) throws(RecordError) -> ZoneVerification {
        if !head.database.isPublic {
            _ = try ZoneKeyring(head.keys, head.identifier, head.incarnation, container)
        }
        return try verification(of: ZoneLife(head)) { record, name throws(RecordError) in
            let scope = SealScope(head.database, zone: head.incarnation, epoch: record.epoch)
            _ = try container.plainValues(of: record, name: name, in: scope)
        }
    }

    /// Compares the records of a zone with the hash in its head.
    ///
    /// - Parameter open: throws `damaged` for a record that is not what was sealed.
    fileprivate func verification(
        of zone: ZoneLife, _ open: (SealedRecord, _ name: String) throws(RecordError) -> Void
    ) throws(RecordError) -> ZoneVerification {
        var verification = ZoneVerification()
        var found = RecordSetHash(of: zone.incarnation, container)
        var last: String?
        let head = try backend.contents(of: zone) { name, stored throws(RecordError) in
            // A record that comes twice would take itself out of the hash.
            guard last.map({ $0.utf8.lexicographicallyPrecedes(name.utf8) }) ?? true else {
                throw RecordError(.damaged, "verify zone \(zone.name): its names are not in order")
            }
            last = name
            verification.count()
            do throws(RecordError) {
                guard let record = stored.bytes.flatMap({ SealedRecord($0) }) else {
                    throw RecordError(.damaged, "read record \(name): it is malformed")
                }
                try found.insert(name, record.tag)
                try open(record, name)
            } catch {
                guard error.code == .damaged else { throw error }
                verification.count(name, error)
            }
        }
        guard let head else { throw DatabaseView.notFound(zone.name) }
        verification.isComplete = try HeadSeal(of: head, container).records.equals(found)
        return verification
    }
}
