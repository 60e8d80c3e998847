package import BullaRecords
package import BullaTestSupport

/// One requirement of every backend.
///
/// A backend's test runs all of them, each on a backend of its own.
package struct ConformanceCheck: Sendable, CustomStringConvertible {
    package let description: String
    /// Checks an empty backend; records an issue of the running test if the backend fails the
    /// requirement.
    package let run: @Sendable (inout BackendBench) throws -> Void

    init(
        _ description: String, _ run: @escaping @Sendable (inout BackendBench) throws -> Void
    ) {
        (self.description, self.run) = (description, run)
    }

    package static let all =
        zones + seals + contents + batches + expectations + feeds + indexes + orders + references
        + documents + assets + names + waiting
}

/// A backend under test, and makers of things to put in it.
package struct BackendBench {
    package let backend: any RecordBackend
    package var random: TestRandom
    /// Milliseconds since 1970; a test adds to it to let time pass.
    package var time: Int64 = 1_700_000_000_000

    package init(_ backend: any RecordBackend, seed: UInt64 = 1) {
        self.backend = backend
        // Two seeds that differ by one give the same numbers, shifted by one. The factor keeps
        // benches of one store from making the same identifiers.
        random = TestRandom(seed: seed &* 1_000_003)
    }

    package static let place = Place("iCloud.org.example.notes", .development)
    package static let `public` = Database(place, owner: nil)

    package mutating func identifier() -> RandomIdentifier {
        guard let identifier = RandomIdentifier(bytes: random.uniqueBytes(16)) else {
            preconditionFailure("there are 16 bytes")
        }
        return identifier
    }

    package mutating func tag() -> ChangeTag {
        guard let tag = ChangeTag(bytes: random.uniqueBytes(12)) else {
            preconditionFailure("there are 12 bytes")
        }
        return tag
    }

    /// A database of a new account.
    package mutating func database() -> Database {
        Database(Self.place, owner: AccountIdentifier(identifier()))
    }

    /// A zone that does not exist yet.
    package mutating func newZone(
        _ name: String = "zone", in database: Database = Self.public
    ) -> StoredZone {
        var zone = StoredZone(
            database, name: name, incarnation: identifier(), epoch: 1, keys: random.bytes(40))
        zone.seal = random.bytes(20)
        return zone
    }

    /// A zone that exists.
    package mutating func zone(
        _ name: String = "zone", in database: Database = Self.public
    ) throws -> ZoneLife {
        let zone = newZone(name, in: database)
        guard try backend.create(zone) else { throw BenchFault.zoneIsThere }
        return ZoneLife(zone)
    }

    package mutating func entry(
        _ type: String = "Note", indexes: Set<[UInt8]> = [],
        references: Set<ReferenceEdge> = [], assets: Set<RandomIdentifier> = []
    ) -> RecordEntry {
        var entry = RecordEntry(
            random.bytes(1 + random.below(200)), type: type, tag: tag(), indexes: indexes,
            references: references, assets: assets)
        entry.digest = random.bytes(32)
        return entry
    }

    /// An entry that is indexed by one value of one field.
    package mutating func entry(
        _ value: RecordValue, of field: String = "field", _ type: String = "Note", name: String
    ) -> RecordEntry {
        let place = IndexKey.place(value, of: field, type, record: name)
        return entry(type, indexes: [place])
    }

    package mutating func batch(
        _ changes: [BackendBatch.Change], in zone: ZoneLife, epoch: UInt32 = 1,
        schema: UInt64 = 0, head: UInt64? = nil
    ) -> BackendBatch {
        BackendBatch(
            zone, identifier: identifier(), epoch: epoch, schemaVersion: schema,
            headVersion: head, time: time, changes: changes, sealing: Self.sealing)
    }

    /// Puts new keys into a zone's head; `false` if the keys and the epoch in the head are not
    /// `keys` and `epoch`.
    package func rekey(
        _ next: StoredZone, from keys: [UInt8], epoch: UInt32
    ) throws -> Bool {
        try backend.rekey(next, from: keys, formerEpoch: epoch, sealing: Self.sealing)
    }

    /// A seal that shows from which seals, and over which records, it was made.
    package static let sealing: HeadSealing = { former, next, formers in
        var seal = former.seal + [0x40, UInt8(truncatingIfNeeded: next.version)]
        seal += next.keys.prefix(2)
        for record in formers {
            guard let record else {
                seal.append(0xff)
                continue
            }
            seal += record.tag.bytes + [UInt8(truncatingIfNeeded: record.version)]
            seal += record.digest.prefix(8)
        }
        return seal.suffix(500)
    }

    @discardableResult
    package mutating func commit(
        _ changes: [BackendBatch.Change], in zone: ZoneLife
    ) throws -> BatchOutcome {
        try backend.commit(batch(changes, in: zone))
    }

    /// Saves a record, whatever its name stands for now.
    @discardableResult
    package mutating func save(
        _ name: String, _ entry: RecordEntry? = nil, in zone: ZoneLife
    ) throws -> BatchOutcome {
        let entry = entry ?? self.entry()
        return try commit([.init(name, expected: .anything, entry: entry)], in: zone)
    }

    /// Deletes a record, whatever its name stands for now.
    @discardableResult
    package mutating func delete(_ name: String, in zone: ZoneLife) throws -> BatchOutcome {
        try commit([.init(name, expected: .anything, entry: nil)], in: zone)
    }

    package func record(_ name: String, in zone: ZoneLife) throws -> StoredRecord? {
        try backend.records([name], in: zone).first ?? nil
    }

    package func byteCount(of zone: ZoneLife) throws -> UInt64? {
        try backend.zone(named: zone.name, in: zone.database)?.byteCount
    }

    package func headVersion(of zone: ZoneLife) throws -> UInt64? {
        try backend.zone(named: zone.name, in: zone.database)?.version
    }

    /// All changes after a version, read page by page.
    package func feed(
        of zone: ZoneLife, after version: UInt64 = 0, limit: Int = 3
    ) throws -> [(name: String, record: StoredRecord)] {
        var all: [(name: String, record: StoredRecord)] = []
        while let page = try backend.changes(
            in: zone, after: all.last?.record.version ?? version, limit: limit)
        {
            all += page.changes
            guard page.hasMore, !page.changes.isEmpty else { break }
        }
        return all
    }

    /// All names in a range of an index, read page by page.
    package func scan(
        _ range: IndexRange, in zone: ZoneLife, limit: Int = 3
    ) throws -> [String] {
        var page = try backend.scan(range, in: zone, after: nil, limit: limit)
        var names = page.names
        while let mark = page.mark {
            page = try backend.scan(range, in: zone, after: mark, limit: limit)
            guard !page.names.isEmpty else { throw BenchFault.emptyPage }
            names += page.names
        }
        return names
    }

    /// The error code that a verb throws; `nil` if it does not throw.
    package func code(
        _ body: (any RecordBackend) throws -> Void
    ) throws -> RecordError.Code? {
        do { try body(backend) } catch let error as RecordError { return error.code }
        return nil
    }
}

enum BenchFault: Error {
    case zoneIsThere, emptyPage
}

extension IndexRange {
    package var reversed: IndexRange { IndexRange(lower, upTo: upper, isDescending: true) }
}
