/// A zone as a backend keeps it: its head, which every change of the zone goes through.
package struct StoredZone: Hashable, Sendable {
    package let database: Database
    package let name: String
    /// Which life of a zone of this name: sixteen random bytes.
    package let incarnation: RandomIdentifier
    /// How many changes have been committed: the newest change's number.
    package var version: UInt64
    /// The epoch of the zone's keys that records are to be sealed under.
    package var epoch: UInt32
    /// The zone's keys, wrapped, and who takes part: the core's, and sealed or signed by it.
    package var keys: [UInt8]
    /// How many bytes its records have, with the assets that each of them holds.
    package var byteCount: UInt64 = 0

    package init(
        _ database: Database, name: String, incarnation: RandomIdentifier, version: UInt64 = 0,
        epoch: UInt32, keys: [UInt8]
    ) {
        (self.database, self.name, self.incarnation) = (database, name, incarnation)
        (self.version, self.epoch, self.keys) = (version, epoch, keys)
    }

    package var identifier: ZoneIdentifier { ZoneIdentifier(name, owner: database.owner) }
}

extension StoredZone {
    /// Counts what stands in the place of a record.
    package mutating func count(_ entry: RecordEntry?, insteadOf former: RecordEntry?) {
        // A count that is damaged is a wrong count, and no reason to fail.
        byteCount -= min(former?.byteCount ?? 0, byteCount)
        let (sum, isBeyond) = byteCount.addingReportingOverflow(entry?.byteCount ?? 0)
        byteCount = isBeyond ? .max : sum
    }
}

/// One life of one zone, as a backend is asked for it.
package struct ZoneLife: Hashable, Sendable {
    package let database: Database
    package let name: String
    package let incarnation: RandomIdentifier

    package init(_ zone: StoredZone) {
        (database, name, incarnation) = (zone.database, zone.name, zone.incarnation)
    }
}
