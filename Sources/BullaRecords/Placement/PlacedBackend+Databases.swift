/// Calls for one database, which go to its home.
extension PlacedBackend {
    package func timeline(of database: Database) throws(RecordError) -> RandomIdentifier {
        try route(database) { site, _ throws(RecordError) in try site.timeline(of: database) }
    }

    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        try route(database) { site, _ throws(RecordError) in try site.zones(in: database) }
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        try route(database) { site, _ throws(RecordError) in
            try site.zone(named: name, in: database)
        }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.create(zone)
        }
    }

    package func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32,
        sealing: HeadSealing
    ) throws(RecordError) -> Bool {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.rekey(zone, from: formerKeys, formerEpoch: formerEpoch, sealing: sealing)
        }
    }

    package func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone? {
        var hasBegun = false
        // The error to throw in place of `stop`; an error that came straight from `body` would be
        // taken for an error of the site.
        var failure: RecordError?
        let stop = RecordError(.interrupted, "read zone \(zone.name): the reader has stopped")
        do throws(RecordError) {
            return try route(zone.database) { site, _ throws(RecordError) in
                // A further attempt would begin with the first record again, but `body` has already
                // been given some records.
                guard !hasBegun else {
                    failure = RecordError(
                        .unavailable, "read zone \(zone.name): it moves to another site",
                        retryAfter: 1)
                    throw stop
                }
                return try site.contents(of: zone) { name, record throws(RecordError) in
                    hasBegun = true
                    do throws(RecordError) { try body(name, record) } catch {
                        failure = error
                        throw stop
                    }
                }
            }
        } catch { throw failure ?? error }
    }

    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.delete(zone)
        }
    }

    package func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?] {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.records(names, in: zone)
        }
    }

    package func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier> {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.assets(heldBy: record, in: zone)
        }
    }

    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        let database = batch.zone.database
        let outcome = try route(database) { site, _ throws(RecordError) in try site.commit(batch) }
        guard case .otherSchema(let version) = outcome, version < batch.schemaVersion,
            let schema = try directory.schema(of: database.place)
        else { return outcome }
        // The site has missed a change of the schema.
        return try route(database) { site, name throws(RecordError) in
            if name != directory.first {
                try site.moves.take(
                    schema, named: PlaceDocument.schema, of: database.place, for: nil)
            }
            return try site.commit(batch)
        }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.outcome(of: batch, in: zone)
        }
    }

    package func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage? {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.changes(in: zone, after: version, limit: limit)
        }
    }

    package func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.scan(range, in: zone, after: mark, limit: limit)
        }
    }

    package func reindex(
        _ records: [ReindexedRecord], in zone: ZoneLife
    ) throws(RecordError) {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.reindex(records, in: zone)
        }
    }

    package func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String] {
        try route(zone.database) { site, _ throws(RecordError) in
            try site.referrers(of: name, action, in: zone, limit: limit)
        }
    }

    package func forgetDeletions(
        before time: Int64, in zone: ZoneLife
    ) throws(RecordError) {
        do throws(RecordError) {
            try route(zone.database, waits: false) { site, _ throws(RecordError) in
                try site.forgetDeletions(before: time, in: zone)
            }
        } catch {
            // Deletions that cannot be forgotten while the database moves are forgotten later.
            guard error.hasMoved else { throw error }
        }
    }

    /// The maximum number of chunks that one call takes from its caller: it keeps them, so that it
    /// can put them again if a site refuses them.
    private static let chunkCount = 8

    package func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError) {
        var taken: [[UInt8]] = []
        try route(database) { site, _ throws(RecordError) in
            var place = 0
            try site.put(from: first, of: asset, in: database, time: time) {
                if place == taken.count {
                    guard place < Self.chunkCount, let chunk = next() else { return nil }
                    taken.append(chunk)
                }
                defer { place += 1 }
                return taken[place]
            }
            // An earlier attempt may have taken more chunks from the caller than this site has
            // asked for: the site must store those, too.
            while place < taken.count {
                let start = place
                try site.put(
                    from: first + UInt32(start), of: asset, in: database, time: time
                ) {
                    guard place < taken.count else { return nil }
                    defer { place += 1 }
                    return taken[place]
                }
            }
        }
    }

    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        try route(database) { site, _ throws(RecordError) in
            try site.readChunk(index, of: asset, in: database, into: &chunk)
        }
    }
}
