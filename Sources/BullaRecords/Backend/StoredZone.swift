/// What a backend stores of a zone: its head, through which every change of the zone goes.
package struct StoredZone: Hashable, Sendable {
    package let database: Database
    package let name: String
    /// Sixteen random bytes that distinguish this life of the zone from all other lives of zones
    /// with this name.
    package let incarnation: RandomIdentifier
    /// The number of committed changes of records and keys, which is also the newest change's
    /// number.
    package var version: UInt64
    /// The newest epoch of the zone's keys, under which records must be sealed.
    package var epoch: UInt32
    /// The wrapped keys of the zone, and the list of its participants, as ``ZoneKeyring`` lays them
    /// out and authenticates them.
    package var keys: [UInt8]
    /// The core's seal over all the above and the zone's records; see ``HeadSealing``.
    package var seal: [UInt8] = []
    /// The total bytes of its records and their assets; an asset counts once for each record that
    /// holds it.
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
    /// Adds the number of a commit's changes to ``version``.
    package mutating func count(_ changeCount: UInt64) throws(RecordError) {
        guard version < .max - changeCount else {
            throw RecordError(.damaged, "change zone \(name): its version is too great")
        }
        version += changeCount
    }

    /// Updates the byte count when a record is replaced.
    package mutating func count(_ entry: RecordEntry?, insteadOf former: RecordEntry?) {
        replace(byteCount: former?.byteCount ?? 0, by: entry?.byteCount ?? 0)
    }

    /// Updates the byte count when a record of one size is replaced by one of another size.
    package mutating func replace(byteCount former: UInt64, by next: UInt64) {
        // If the stored count is damaged, only the count is wrong, which is no reason to fail.
        byteCount -= min(former, byteCount)
        let (sum, isBeyond) = byteCount.addingReportingOverflow(next)
        byteCount = isBeyond ? .max : sum
    }
}

/// One life of a zone, from its creation to its deletion, as an argument for a backend.
package struct ZoneLife: Hashable, Sendable {
    package let database: Database
    package let name: String
    package let incarnation: RandomIdentifier

    package init(_ zone: StoredZone) {
        (database, name, incarnation) = (zone.database, zone.name, zone.incarnation)
    }
}
