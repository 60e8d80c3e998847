/// What a verification of a zone's records found.
package struct ZoneVerification: Sendable {
    package private(set) var recordCount = 0
    /// How many records differ from what was sealed under their names.
    package private(set) var failureCount = 0
    /// The first of these records, and their errors.
    package private(set) var failures: [(name: String, error: RecordError)] = []
    /// Whether the zone has exactly the records that its newest commit left: none is missing or
    /// older, and there are no others.
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
            "verify zone \(zone): some of its records are missing, altered, or older than the "
                + "last change")
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
    /// Opens all records of a zone, and checks that they are those that its newest commit left.
    ///
    /// It shows whether a backend has put back an older version of a record, or a deleted record,
    /// or has hidden one. It does not show whether a backend has put back an older version of the
    /// whole zone; a change token of the zone does.
    ///
    /// - Throws: `zoneNotFound`, `encryptedDataReset`; `damaged` if the zone's head was altered;
    ///   `permissionFailure` for a participant who sees only some of the zone's records;
    ///   `unavailable` if the backend fails for a moment: call again.
    /// - Complexity: reads every record of the zone, all as they were at one moment.
    package func verify(_ name: String) throws(RecordError) -> ZoneVerification {
        let zone = try self.zone(name)
        guard zone.reach == nil else {
            throw RecordError(
                .permissionFailure, "verify zone \(name): only some of its records are shared")
        }
        return try core.verification(of: zone.head) { record, name throws(RecordError) in
            _ = try zone.record(record.bytes, name)
        }
    }
}

extension RecordCore {
    /// Verifies a zone as ``DatabaseView/verify(_:)`` does, but without its owner's keys.
    ///
    /// It opens the plain values of each record, but not the values that only users' keys open. The
    /// hash covers those values, too, because it covers all bytes of a record.
    package func verify(_ head: StoredZone) throws(RecordError) -> ZoneVerification {
        if !head.database.isPublic {
            _ = try ZoneKeyring(head.keys, head.identifier, head.incarnation, container)
        }
        try HeadSeal.check(head, container)
        return try verification(of: head) { record, name throws(RecordError) in
            let scope = SealScope(head, of: record)
            _ = try container.plainValues(of: record, name: name, in: scope)
        }
    }

    /// Compares the records of a zone with the hash in its head.
    ///
    /// - Parameters:
    ///   - zone: a head whose seal was checked. Writers may have changed the zone since.
    ///   - open: throws `damaged` for a record that is not what was sealed.
    fileprivate func verification(
        of zone: StoredZone, _ open: (SealedRecord, _ name: String) throws(RecordError) -> Void
    ) throws(RecordError) -> ZoneVerification {
        var verification = ZoneVerification()
        var found = RecordSetHash(of: zone.incarnation, container)
        var last: String?
        let head = try backend.contents(of: ZoneLife(zone)) { name, stored throws(RecordError) in
            // A record that the backend returned twice would cancel itself out of the hash.
            guard last.map({ $0.utf8.lexicographicallyPrecedes(name.utf8) }) ?? true else {
                throw RecordError(.damaged, "verify zone \(zone.name): its names are not in order")
            }
            last = name
            verification.count()
            do throws(RecordError) {
                guard let bytes = stored.bytes, let record = SealedRecord(bytes) else {
                    throw RecordError(.damaged, "read record \(name): it is malformed")
                }
                let digest = try SealedRecord.digest(of: bytes)
                try found.insert(name, version: stored.version, digest: digest)
                try open(record, name)
            } catch {
                guard error.code == .damaged else { throw error }
                verification.count(name, error)
            }
        }
        guard let head else { throw DatabaseView.notFound(zone.name) }
        guard ZoneLife(head) == ZoneLife(zone), head.version >= zone.version else {
            throw RecordError(.damaged, "verify zone \(zone.name): its head is another one's")
        }
        verification.isComplete = try HeadSeal(of: head, container).records.equals(found)
        return verification
    }
}
