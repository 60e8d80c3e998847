internal import Bulla
internal import BullaMemory

/// Moves databases into a store and out of it.
struct EmbeddedMoves: SiteMoves {
    let backend: EmbeddedBackend

    func home(of database: Database) throws(RecordError) -> HomeRow? {
        try backend.read("find the home of a database") { try $0.home(of: database) }
    }

    func homes(of place: Place) throws(RecordError) -> [Database: HomeRow?] {
        try backend.read("find the homes of databases") { try $0.homes(of: place) }
    }

    func replaceHome(
        of database: Database, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool {
        try backend.write("change the home of a database") { change in
            guard try change.home(of: database) == former else { return false }
            try change.put(next, database)
            return true
        }
    }

    func page(
        of zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ZonePage? {
        // Nobody restores a store while it is open, so the snapshot below has this timeline, too.
        let timeline = try backend.siteTimeline()
        return try backend.read("copy zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, backend.claim)
            guard let head = try snapshot.head(of: zone) else { return nil }
            let limit = max(limit, 1)
            var rows: [ZonePage.Row] = []
            try snapshot.visit(.feed, EmbeddedKey.feed(of: zone, after: version)) { _, name in
                let name = try EmbeddedKey.name(name)
                guard let row = try snapshot.row(name, zone) else {
                    throw RecordError(.damaged, "copy zone \(zone.name): \(name) is not there")
                }
                rows.append(row.moved(name))
                return rows.count <= limit ? .next : .stop
            }
            let batches = try snapshot.batches(
                of: zone, after: version, limit: ZonePage.batchCount + 1)
            let forgotten = try snapshot.number(zone.incarnation.bytes, in: .forgotten) ?? 0
            return ZonePage(
                head, timeline, forgottenVersion: forgotten, after: version, limit: limit, rows,
                batches)
        }
    }

    func take(_ page: ZonePage) throws(RecordError) -> Bool {
        let zone = ZoneLife(page.head)
        return try backend.write("receive zone \(zone.name)") { change in
            try change.checkHome(of: zone.database, backend.claim, isChange: true)
            let former = try change.zone(zone.name, zone.database)
            guard former?.incarnation ?? zone.incarnation == zone.incarnation,
                former?.version ?? 0 == page.start
            else { return false }
            if former == nil { try change.begin(page.head) }
            let formers = try page.records.map { try change.row($0.name, zone) }
            let rows = page.records.map { RecordRow(moved: $0) }
            for (row, former) in zip(rows, formers) {
                for asset in row.assets.subtracting(former?.assets ?? []) {
                    guard try change.has(asset, for: zone.database) else {
                        throw Self.missingAsset(zone)
                    }
                    try change.hold(asset)
                }
            }
            for (index, row) in rows.enumerated() {
                try change.replace(formers[index], page.records[index].name, with: row, in: zone)
            }
            for batch in page.batches {
                try change.remember(
                    batch.identifier, first: batch.first, time: batch.time, in: zone)
            }
            try change.putForgotten(page.forgottenVersion, zone)
            try change.put(page.receivedHead)
            return true
        }
    }

    private static func missingAsset(_ zone: ZoneLife) -> RecordError {
        RecordError(
            .unavailable, "receive zone \(zone.name): an asset is missing", retryAfter: 1)
    }

    func take(
        _ document: StoredDocument, named name: String, of place: Place,
        for account: AccountIdentifier?
    ) throws(RecordError) {
        try backend.write("receive \(name)") { change in
            try change.checkHome(of: place, account, backend.claim, isChange: true)
            guard try change.document(name, place)?.version ?? 0 < document.version else { return }
            let key = EmbeddedKey.document(name, place)
            try change.put(DocumentRow.bytes(document), key, in: .documents)
        }
    }

    func holderCount(
        of asset: RandomIdentifier, in database: Database
    ) throws(RecordError) -> UInt64? {
        try backend.read("look at an asset", .published) { snapshot in
            try snapshot.checkHome(of: database, backend.claim)
            guard let row = try snapshot.assetRow(asset) else { return nil }
            guard row.belongs(to: database) else { throw RecordError.foreignAsset }
            return UInt64(row.holderCount)
        }
    }

    func uploads(
        in database: Database
    ) throws(RecordError) -> [(asset: RandomIdentifier, time: Int64)] {
        try backend.read("list uploads", .published) { snapshot in
            try snapshot.checkHome(of: database, backend.claim)
            return try snapshot.uploads(in: database)
        }
    }

    func free(
        _ asset: RandomIdentifier, in database: Database
    ) throws(RecordError) {
        try backend.write("free an asset that no record holds") { change in
            try change.checkHome(of: database, backend.claim, isChange: true)
            guard let row = try change.assetRow(asset), row.holderCount == 0,
                row.belongs(to: database)
            else { return }
            try change.free(asset)
        }
    }

    func clear(_ documents: [String], of database: Database) throws(RecordError) {
        try backend.write("clear a database that has moved") { change in
            try change.checkHome(of: database, backend.claim, isChange: true)
            for name in documents {
                try change.delete(EmbeddedKey.document(name, database.place), in: .documents)
            }
            for upload in try change.uploads(in: database) { try change.free(upload.asset) }
        }
    }
}

extension TreeReader where Self: ~Copyable {
    /// At most `limit` remembered batches of a zone, the earliest ones that begin after a version.
    func batches(
        of zone: ZoneLife, after version: UInt64, limit: Int
    ) throws -> [ZonePage.Batch] {
        let count = RandomIdentifier.byteCount
        var found: [ZonePage.Batch] = []
        try visit(.batchFeed, EmbeddedKey.feed(of: zone, after: version)) { key, note in
            guard let first = key.sortedNumber(at: count), note.count == count + 8,
                let identifier = RandomIdentifier(bytes: Array(note.prefix(count))),
                let time = note.sortedNumber(at: count)
            else { throw RecordError(.damaged, "read zone \(zone.name): a batch is malformed") }
            found.append((identifier, first, Int64(bitPattern: time ^ 1 << 63)))
            return found.count < limit ? .next : .stop
        }
        return found
    }

    /// Those of a database's assets that no record holds.
    fileprivate func uploads(
        in database: Database
    ) throws -> [(asset: RandomIdentifier, time: Int64)] {
        let key = EmbeddedKey.database(database)
        var uploads: [(asset: RandomIdentifier, time: Int64)] = []
        // Rows that earlier builds wrote name no database, and are skipped: within about an hour,
        // their assets are in records, or freed.
        try visit(.orphans, .all) { orphan, database in
            guard database == key else { return .next }
            guard let asset = RandomIdentifier(bytes: Array(orphan.dropFirst(8))),
                let row = try assetRow(asset)
            else { throw RecordError(.damaged, "list uploads: a row is malformed") }
            uploads.append((asset, row.time))
            return .next
        }
        return uploads
    }
}

extension RecordRow {
    fileprivate func moved(_ name: String) -> ZonePage.Row {
        switch state {
        case .entry(let entry): ZonePage.Row(name, version: version, .entry(entry))
        case .deleted(let type, let time):
            ZonePage.Row(name, version: version, .deleted(type: type, time: time))
        }
    }

    fileprivate init(moved row: ZonePage.Row) {
        switch row.content {
        case .entry(let entry): self.init(version: row.version, .entry(entry))
        case .deleted(let type, let time):
            self.init(version: row.version, .deleted(type: type, time: time))
        }
    }
}
