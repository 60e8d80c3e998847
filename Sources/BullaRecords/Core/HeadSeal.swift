internal import BullaMemory

/// What the core keeps in a zone's head, so that a backend cannot change the head or the zone's
/// records unnoticed.
///
///     bytes  field
///         1  version: 1
///         8  the zone's version
///        56  ``RecordSetHash`` of the zone's records, in its covered form
///        32  HMAC of all the above, and of the zone's place, owner, name, life, epoch and keys,
///            under the container's key for heads
///
/// The core checks the HMAC whenever it reads or changes a zone, so the only head that a backend
/// can substitute unnoticed is a complete earlier one, with the earlier count of changes. Only
/// ``DatabaseView/verify(_:)`` compares the records with the hash, since that takes reading all of
/// them.
package struct HeadSeal {
    private static let format: UInt8 = 1

    var records: RecordSetHash

    /// The seal of a zone without records.
    init(ofEmpty zone: RandomIdentifier, _ container: ContainerKeys) {
        records = RecordSetHash(of: zone, container)
    }

    /// Reads the seal of a head.
    ///
    /// - Throws: `damaged` if it was not made for exactly this head.
    package init(of head: StoredZone, _ container: ContainerKeys) throws(RecordError) {
        records = try RecordSetHash(
            covered: Self.covered(in: head, container), of: head.incarnation, container)
    }

    /// Checks that the seal of a head was made for exactly this head.
    ///
    /// - Throws: `damaged`.
    static func check(_ head: StoredZone, _ container: ContainerKeys) throws(RecordError) {
        _ = try covered(in: head, container)
    }

    /// The covered hash in the seal of a head.
    private static func covered(
        in head: StoredZone, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        let body = try voucher(head, container).body(of: head.seal) ?? []
        let covered = body.withView { view -> [UInt8]? in
            var cursor = ByteCursor(view)
            guard cursor.next(UInt8.self) == format, cursor.next(UInt64.self) == head.version,
                let covered = cursor.nextView(RecordSetHash.byteCount), cursor.isAtEnd
            else { return nil }
            return covered.copied()
        }
        guard let covered else {
            throw RecordError(.damaged, "use zone \(head.name): its head is not as it was sealed")
        }
        return covered
    }

    /// The seal in the form in which a head stores it.
    func bytes(
        for head: StoredZone, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        var body: [UInt8] = [Self.format]
        body.append(number: head.version)
        body += try records.covered()
        return try Self.voucher(head, container).vouched(body)
    }

    private static func voucher(_ head: StoredZone, _ container: ContainerKeys) -> Voucher {
        var tuple = ByteTuple("bulla records head seal v1", container.place)
        tuple.append(head.database.owner)
        tuple.append(head.name)
        tuple.append(head.incarnation)
        tuple.append(head.epoch)
        tuple.append(head.keys)
        return Voucher(container.heads, tuple)
    }
}

extension HeadSeal {
    /// Seals the head that results from a batch.
    ///
    /// A backend can lie about the records that the batch replaces, and about the head. A lie about
    /// a record makes the hash differ from the zone's records for good. Everything else is compared
    /// with what the core planned.
    ///
    /// - Parameter planned: the head on which the batch was planned.
    static func sealing(
        _ changes: [BackendBatch.Change], planned: StoredZone, by container: ContainerKeys
    ) -> HeadSealing {
        { former, next, formers throws(RecordError) in
            try check(former, next, of: planned, changeCount: formers.count)
            guard next.keys == former.keys, next.epoch == former.epoch,
                former.epoch == planned.epoch, formers.count == changes.count
            else { throw untrue(planned) }
            var seal = try HeadSeal(of: former, container)
            for (index, (change, record)) in zip(changes, formers).enumerated() {
                guard change.expected.isMet(by: record?.tag) else { throw untrue(planned) }
                if let record {
                    try seal.records.remove(
                        change.name, version: record.version, digest: record.digest)
                }
                if let entry = change.entry {
                    let version = former.version + UInt64(index) + 1
                    try seal.records.insert(change.name, version: version, digest: entry.digest)
                }
            }
            return try seal.bytes(for: next, container)
        }
    }

    /// Seals a head for a change that replaces its keys.
    ///
    /// - Parameters:
    ///   - planned: the head as it was read.
    ///   - head: the same head with its new keys and epoch.
    package static func sealing(
        _ head: StoredZone, insteadOf planned: StoredZone, by container: ContainerKeys
    ) -> HeadSealing {
        { former, next, formers throws(RecordError) in
            try check(former, next, of: planned, changeCount: 1)
            guard former.keys == planned.keys, former.epoch == planned.epoch,
                next.keys == head.keys, next.epoch == head.epoch, formers.isEmpty
            else { throw untrue(planned) }
            return try HeadSeal(of: former, container).bytes(for: next, container)
        }
    }

    /// Checks that both heads are of the planned zone, that the first is not older than the plan,
    /// and that the second counts `changeCount` more changes.
    private static func check(
        _ former: StoredZone, _ next: StoredZone, of planned: StoredZone, changeCount: Int
    ) throws(RecordError) {
        let (version, isBeyond) = former.version.addingReportingOverflow(UInt64(changeCount))
        guard ZoneLife(former) == ZoneLife(planned), ZoneLife(next) == ZoneLife(planned),
            former.version >= planned.version, !isBeyond, next.version == version
        else { throw untrue(planned) }
    }

    private static func untrue(_ zone: StoredZone) -> RecordError {
        RecordError(.damaged, "change zone \(zone.name): what is stored there is not what was read")
    }
}
