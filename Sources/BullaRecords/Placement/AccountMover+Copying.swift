/// Copies what a database has from one site to another.
extension AccountMover {
    /// How many records a page has, and how many chunks of an asset are read at once.
    private static let pageCount = 64
    private static let chunkCount = 4
    /// A fence is worth its while once a pass has copied no more than this many records.
    private static let restCount = 200
    private static let passCount = 10
    /// How often a page is read again because its assets were deleted meanwhile.
    private static let retryCount = 100

    /// A site that the database leaves, and one where it arrives, with claims for this move.
    struct Road {
        let database: Database
        let source: any SiteBackend
        let sink: any SiteBackend
        let time: Int64

        init(_ move: Move, _ arriving: HomeRow, _ time: Int64) {
            database = move.database
            source = move.source.claiming(HomeClaim(.client, move.generation))
            let role = HomeClaim.Role.receiver(attempt: arriving.attempt)
            sink = move.sink.claiming(HomeClaim(role, move.next))
            self.time = time
        }
    }

    /// Copies a database that callers still change, pass by pass, until little is left.
    func copyWhileUsed(_ road: Road) throws(RecordError) {
        for _ in 0..<Self.passCount {
            guard try copyZones(road, .copy, hasBatches: false) > Self.restCount else { return }
        }
    }

    /// Copies everything that is left in a database that no longer changes.
    func copyRest(_ road: Road) throws(RecordError) {
        _ = try copyZones(road, .copyRest, hasBatches: true)
        try probe(.copyRest)
        let (place, account) = (road.database.place, road.database.owner)
        for name in PlaceDocument.all(of: account) {
            if let document = try road.source.document(name, of: place, for: account) {
                try road.sink.moves.take(document, named: name, of: place, for: account)
            }
        }
        let uploads = try road.source.moves.uploads(in: road.database)
        for upload in uploads {
            try probe(.copyRest)
            _ = try copy(upload.asset, road, time: upload.time)
        }
        // These assets were copied ahead of records that were then deleted at the source.
        for upload in try road.sink.moves.uploads(in: road.database)
        where !uploads.contains(where: { $0.asset == upload.asset }) {
            try road.sink.moves.free(upload.asset, in: road.database)
        }
    }

    /// Copies all zones, and deletes those that have ended.
    ///
    /// - Returns: how many records were copied.
    private func copyZones(
        _ road: Road, _ step: Step, hasBatches: Bool
    ) throws(RecordError) -> Int {
        let zones = try road.source.zones(in: road.database).map { ZoneLife($0) }
        for zone in try road.sink.zones(in: road.database) where !zones.contains(ZoneLife(zone)) {
            try probe(step)
            _ = try road.sink.delete(ZoneLife(zone))
        }
        var count = 0
        for zone in zones { count += try copy(zone, road, step, hasBatches: hasBatches) }
        return count
    }

    private func copy(
        _ zone: ZoneLife, _ road: Road, _ step: Step, hasBatches: Bool
    ) throws(RecordError) -> Int {
        var (count, triesLeft) = (0, Self.retryCount)
        while true {
            let head = try road.sink.zone(named: zone.name, in: road.database)
            guard head?.incarnation ?? zone.incarnation == zone.incarnation else { return count }
            guard
                let page = try road.source.moves.page(
                    of: zone, after: head?.version ?? 0, limit: Self.pageCount,
                    hasBatches: hasBatches)
            else { return count }
            guard page.end >= page.start else {
                throw RecordError(
                    .damaged, "move zone \(zone.name): it is older than what was copied of it")
            }
            try probe(step)
            guard try copyAssets(of: page, road) else {
                guard triesLeft > 0 else {
                    throw RecordError(
                        .damaged, "move zone \(zone.name): it has records whose assets are gone")
                }
                triesLeft -= 1
                continue
            }
            // If another mover was faster, go on from where the zone is now.
            guard try road.sink.moves.take(page) else { continue }
            count += page.records.count
            if page.isLast { return count }
        }
    }

    /// Copies the assets that the records of a page hold.
    ///
    /// - Returns: `false` if one of them was deleted meanwhile: then a record has changed.
    private func copyAssets(of page: ZonePage, _ road: Road) throws(RecordError) -> Bool {
        for asset in page.assets {
            guard try copy(asset, road, time: road.time) else { return false }
            // The copy is whole only if the asset still existed after its last chunk was read.
            guard try road.source.moves.holderCount(of: asset, in: road.database) != nil else {
                return false
            }
        }
        return true
    }

    /// Copies an asset, unless a record at the target holds it; returns `false` if it is gone.
    private func copy(
        _ asset: RandomIdentifier, _ road: Road, time: Int64
    ) throws(RecordError) -> Bool {
        if try road.sink.moves.holderCount(of: asset, in: road.database) ?? 0 > 0 { return true }
        var index: UInt32 = 0
        while true {
            var chunks: [[UInt8]] = []
            while chunks.count < Self.chunkCount,
                let chunk = try road.source.chunk(
                    index + UInt32(chunks.count), of: asset, in: road.database)
            {
                chunks.append(chunk)
            }
            guard !chunks.isEmpty else { return index > 0 }
            do throws(RecordError) {
                try road.sink.put(chunks, from: index, of: asset, in: road.database, time: time)
            } catch {
                // Another mover may have brought a record that holds the asset.
                let count = try road.sink.moves.holderCount(of: asset, in: road.database)
                guard error.code == .invalidArguments, count ?? 0 > 0 else { throw error }
                return true
            }
            let (next, isBeyond) = index.addingReportingOverflow(UInt32(chunks.count))
            guard !isBeyond else { return true }
            index = next
        }
    }
}
