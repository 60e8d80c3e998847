internal import Bulla

extension EmbeddedBackend {
    package func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?] {
        try read("read records of zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
            guard try snapshot.head(of: zone) != nil, let tree = try snapshot.tree(.records) else {
                return names.map { _ in nil }
            }
            let rows = try snapshot.values(
                forKeys: names.map { EmbeddedKey.record($0, zone) }, in: tree)
            return try zip(names, rows).map { name, row in
                try row.map { try RecordRow($0, name).stored }
            }
        }
    }

    package func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier> {
        try read("read the assets of a record of zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
            guard try snapshot.head(of: zone) != nil,
                let row = try snapshot.value(EmbeddedKey.record(record, zone), in: .records),
                case .entry(let entry) = try RecordRow(row, record).state
            else { return [] }
            return entry.assets
        }
    }

    package func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone? {
        try read("read zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
            guard let head = try snapshot.head(of: zone) else { return nil }
            try snapshot.visit(.records, .prefix(zone.incarnation.bytes)) { key, row in
                let name = try EmbeddedKey.name(key.dropFirst(RandomIdentifier.byteCount))
                let record = try RecordRow(row, name).stored
                if record.bytes != nil { try body(name, record) }
                return .next
            }
            return head
        }
    }

    package func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage? {
        try read("follow zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
            guard let head = try snapshot.head(of: zone) else { return nil }
            let forgotten = try snapshot.number(zone.incarnation.bytes, in: .forgotten) ?? 0
            let limit = max(limit, 1)
            var feed: [(version: UInt64, name: String)] = []
            try snapshot.visit(.feed, EmbeddedKey.feed(of: zone, after: version)) { key, name in
                let version = key.sortedNumber(at: RandomIdentifier.byteCount) ?? 0
                feed.append((version, try EmbeddedKey.name(name)))
                return feed.count <= limit ? .next : .stop
            }
            let changes = try feed.prefix(limit).map { version, name in
                guard let row = try snapshot.row(name, zone), row.version == version else {
                    throw RecordError(
                        .damaged, "follow zone \(zone.name): record \(name) does not match its feed"
                    )
                }
                return (name, row.stored)
            }
            return ChangePage(
                changes, headVersion: head.version, forgottenVersion: forgotten,
                hasMore: feed.count > limit)
        }
    }

    package func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage {
        try read("scan zone \(zone.name)") { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
            guard try snapshot.head(of: zone) != nil else { return IndexPage([], mark: nil) }
            let limit = max(limit, 1)
            var places: [[UInt8]] = []
            try snapshot.visit(
                .index, range.keys(in: zone, after: mark),
                range.isDescending ? .descending : .ascending
            ) { key, _ in
                places.append(Array(key.dropFirst(RandomIdentifier.byteCount)))
                return places.count <= limit ? .next : .stop
            }
            let hasMore = places.count > limit
            places = Array(places.prefix(limit))
            let names = try places.map { place in
                guard let name = IndexKey.name(in: place) else {
                    throw RecordError(.damaged, "scan zone \(zone.name): an index key has no name")
                }
                return name
            }
            return IndexPage(names, mark: hasMore ? places.last : nil)
        }
    }

    package func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String] {
        try read("find what refers to record \(name)") { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
            guard try snapshot.head(of: zone) != nil else { return [] }
            let prefix = EmbeddedKey.referrers(name, action, zone)
            var names: [String] = []
            try snapshot.visit(.referrers, .prefix(prefix)) { key, _ in
                names.append(try EmbeddedKey.name(key.dropFirst(prefix.count)))
                return names.count < limit ? .next : .stop
            }
            return names
        }
    }

    package func forgetDeletions(
        before time: Int64, in zone: ZoneLife
    ) throws(RecordError) {
        try write("forget deletions of zone \(zone.name)") { change in
            guard try HomeRow.mayForget(change.home(of: zone.database), claim),
                try change.head(of: zone) != nil
            else { return }
            let life = zone.incarnation.bytes
            var old: [(key: [UInt8], version: UInt64, name: String)] = []
            let end = EmbeddedKey.deletion(time, 0, zone)
            try change.visit(.deletions, .from(life, upTo: end)) { key, name in
                let version = key.sortedNumber(at: RandomIdentifier.byteCount + 8) ?? 0
                old.append((key, version, try EmbeddedKey.name(name)))
                return .next
            }
            guard let last = old.map(\.version).max() else { return }
            for (key, version, name) in old {
                guard let row = try change.row(name, zone), row.version == version,
                    row.entry == nil
                else {
                    throw RecordError(
                        .damaged, "forget deletions: record \(name) does not match its deletion")
                }
                try change.delete(key, in: .deletions)
                try change.delete(EmbeddedKey.feed(version, zone), in: .feed)
                try change.delete(EmbeddedKey.record(name, zone), in: .records)
            }
            let known = try change.number(life, in: .forgotten) ?? 0
            try change.putForgotten(max(known, last), zone)
        }
    }
}

extension IndexRange {
    /// The keys of the range's places after a mark.
    fileprivate func keys(in zone: ZoneLife, after mark: [UInt8]?) -> KeyRange {
        var (lower, upper) = (lower, upper)
        if let mark, isDescending {
            upper = mark.lexicographicallyPrecedes(upper) ? mark : upper
        } else if let mark {
            // The first place that can come after the mark.
            let next = mark + [0]
            lower = lower.lexicographicallyPrecedes(next) ? next : lower
        }
        return .from(EmbeddedKey.index(lower, zone), upTo: EmbeddedKey.index(upper, zone))
    }
}
