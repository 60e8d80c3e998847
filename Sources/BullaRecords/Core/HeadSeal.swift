internal import BullaMemory

/// What the core keeps in a zone's head, so that a backend cannot change the head, or a record
/// behind it, unnoticed.
///
///     bytes  field
///         1  version: 1
///         8  the zone's version
///        56  ``RecordSetHash`` of the zone's records, covered
///        32  HMAC of all the above, and of the zone, its name, its life, its epoch and its keys,
///            under the container's key for heads
///
/// Every use of a zone checks the HMAC, so a backend can only put back a former head as a whole,
/// with the records of that time. Only ``DatabaseView/verify(_:)`` compares the records with the
/// hash, since that takes reading all of them.
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

    /// The seal in the form in which a head has it.
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
    /// Seals heads after changes of records; by default, only the head changes.
    package static func sealing(
        _ changes: [BackendBatch.Change] = [], by container: ContainerKeys
    ) -> HeadSealing {
        { former, next, formerTags throws(RecordError) in
            var seal = try HeadSeal(of: former, container)
            guard formerTags.count == changes.count else {
                throw RecordError(
                    .internalError, "change zone \(next.name): a part of the changes is missing")
            }
            for (change, tag) in zip(changes, formerTags) {
                if let tag { try seal.records.remove(change.name, tag) }
                if let entry = change.entry { try seal.records.insert(change.name, entry.tag) }
            }
            return try seal.bytes(for: next, container)
        }
    }
}
