internal import Bulla
internal import BullaMemory

/// Moves databases into a store and out of it.
struct EmbeddedMoves: SiteMoves {
    let backend: EmbeddedBackend

    func home(of database: Database) throws(RecordError) -> HomeRow? {
        try backend.read("find the home of a database") { try $0.home(of: database) }
    }

    func homes(of place: Place) throws(RecordError) -> [Database: HomeRow] {
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
        of zone: ZoneLife, after version: UInt64, limit: Int, hasBatches: Bool
    ) throws(RecordError) -> ZonePage? {
        try backend.read("copy zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, backend.claim)
            guard let head = try snapshot.head(of: zone) else { return nil }
            let limit = max(limit, 1)
            let range = KeyRange.from(
                EmbeddedKey.feed(version == .max ? version : version + 1, zone),
                upTo: EmbeddedKey.feed(.max, zone))
            var rows: [ZonePage.Row] = []
            var hasMore = false
            try snapshot.visit(.feed, range) { _, name in
                guard rows.count < limit else {
                    hasMore = true
                    return .stop
                }
                let name = try EmbeddedKey.name(name)
                guard let row = try snapshot.row(name, zone) else {
                    throw RecordError(.damaged, "copy zone \(zone.name): \(name) is not there")
                }
                rows.append(row.moved(name))
                return .next
            }
            let batches = try hasBatches && !hasMore ? snapshot.batches(of: zone) : []
            let forgotten = try snapshot.number(zone.incarnation.bytes, in: .forgotten) ?? 0
            return ZonePage(
                head, forgottenVersion: forgotten, after: version,
                upTo: hasMore ? rows.last?.version : nil, rows, batches)
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
            let formers = try page.records.map { try change.row($0.name, zone) }
            let rows = page.records.map { RecordRow(moved: $0) }
            for (row, former) in zip(rows, formers) {
                for asset in row.assets.subtracting(former?.assets ?? []) {
                    guard try change.has(asset) else { throw Self.missingAsset(zone) }
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
            var forgotten: [UInt8] = []
            forgotten.append(sorted: page.forgottenVersion)
            try change.put(forgotten, zone.incarnation.bytes, in: .forgotten)
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
            return try snapshot.assetRow(asset).map { UInt64($0.holderCount) }
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
            guard try change.assetRow(asset)?.holderCount == 0 else { return }
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
    /// The batches of a zone that are remembered.
    fileprivate func batches(of zone: ZoneLife) throws -> [ZonePage.Batch] {
        let count = RandomIdentifier.byteCount
        var found: [(identifier: RandomIdentifier, time: Int64)] = []
        try visit(.batchTimes, .all) { key, _ in
            guard key.count == 8 + 2 * count, let time = key.sortedNumber(at: 0),
                let identifier = RandomIdentifier(bytes: Array(key.suffix(count)))
            else { throw RecordError(.damaged, "copy zone \(zone.name): a batch is malformed") }
            if key.dropFirst(8).starts(with: zone.incarnation.bytes) {
                found.append((identifier, Int64(bitPattern: time ^ 1 << 63)))
            }
            return .next
        }
        return try found.compactMap { identifier, time in
            try number(EmbeddedKey.batch(identifier, zone), in: .batches)
                .map { (identifier, $0, time) }
        }
    }

    /// The assets of a database that no record holds.
    fileprivate func uploads(
        in database: Database
    ) throws -> [(asset: RandomIdentifier, time: Int64)] {
        let key = EmbeddedKey.database(database)
        var uploads: [(asset: RandomIdentifier, time: Int64)] = []
        // Rows that earlier versions of Bulla wrote name no database; they are gone within the
        // hour.
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
