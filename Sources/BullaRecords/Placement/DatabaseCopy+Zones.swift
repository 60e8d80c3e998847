extension DatabaseCopy {
    /// The maximum number of records in a page.
    private static let pageCount = 64
    /// The copy of a zone fails once deletions at the source have set it back this many times
    /// without progress in between.
    private static let retryCount = 10

    /// How the target differs from the source.
    struct Difference {
        /// The zones to copy, and the versions that the target has of them.
        var behind: [(zone: ZoneLife, version: UInt64)] = []
        /// The zones that only the target has.
        var ended: [ZoneLife] = []

        var isEmpty: Bool { behind.isEmpty && ended.isEmpty }
    }

    func difference() throws(RecordError) -> Difference {
        let heads = try source.zones(in: database)
        guard heads.allSatisfy({ $0.database == database && $0.name.isMovable }) else {
            throw RecordError(.damaged, "move a database: its site lists a zone of another one")
        }
        var copies: [ZoneLife: StoredZone] = [:]
        for head in try sink.zones(in: database) { copies[ZoneLife(head)] = head }
        var difference = Difference()
        for head in heads {
            let zone = ZoneLife(head)
            let copy = copies.removeValue(forKey: zone)
            if copy != head { difference.behind.append((zone, copy?.version ?? 0)) }
        }
        difference.ended = Array(copies.keys)
        return difference
    }

    /// Copies the zones that have changed, and deletes those that have ended.
    ///
    /// - Returns: how many records were copied; each chunk counts as several.
    func copyZones(_ step: AccountMover.Step) throws(RecordError) -> Int {
        let difference = try difference()
        for zone in difference.ended {
            try mover.probe(step)
            _ = try sink.delete(zone)
        }
        var count = 0
        for (zone, version) in difference.behind {
            count += try copy(zone, after: version, step)
        }
        return count
    }

    /// Copies a zone's changes after version `start`, at least up to the version that the zone has
    /// when the copy begins.
    private func copy(
        _ zone: ZoneLife, after start: UInt64, _ step: AccountMover.Step
    ) throws(RecordError) -> Int {
        var (count, triesLeft) = (0, Self.retryCount)
        var (version, furthest) = (start, start)
        var goal: UInt64?
        while triesLeft > 0 {
            guard let page = try page(of: zone, after: version) else {
                // Under the fence, no zone can end, so another mover must have taken the fence
                // down.
                guard step == .copy else { throw AccountMover.overtaken }
                return count
            }
            goal = goal ?? page.head.version
            try mover.probe(step)
            if page.isBehind {
                _ = try sink.delete(zone)
                version = 0
            } else if let chunks = try copyAssets(of: page), try sink.moves.take(page) {
                count += page.records.count + chunks * Self.chunkWeight
                guard !page.isLast, page.end < goal ?? 0 else { return count }
                version = page.end
                if version > furthest { (furthest, triesLeft) = (version, Self.retryCount) }
                continue
            } else {
                version = try self.version(of: zone)
            }
            triesLeft -= 1
        }
        throw RecordError(
            .unavailable, "move zone \(zone.name): what it has keeps disappearing", retryAfter: 1)
    }

    /// The version that the target has of a zone.
    private func version(of zone: ZoneLife) throws(RecordError) -> UInt64 {
        let head = try sink.zone(named: zone.name, in: database)
        guard head?.incarnation ?? zone.incarnation == zone.incarnation else {
            throw AccountMover.overtaken
        }
        return head?.version ?? 0
    }

    /// Reads a page from the source, and checks everything in it that can be checked.
    private func page(
        of zone: ZoneLife, after version: UInt64
    ) throws(RecordError) -> ZonePage? {
        try checkTime()
        let page = try source.moves.page(of: zone, after: version, limit: Self.pageCount)
        guard let page else { return nil }
        guard page.timeline == timeline else {
            throw .moved("move zone \(zone.name): \(move.home) was restored meanwhile")
        }
        guard page.isValid(for: zone, after: version, limit: Self.pageCount) else {
            throw RecordError(
                .damaged, "move zone \(zone.name): \(move.home) gave something else")
        }
        try mover.directory.check(page.head)
        return page
    }
}
