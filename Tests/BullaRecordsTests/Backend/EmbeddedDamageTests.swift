import Bulla
import BullaMemory
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Testing

/// Rows that somebody else has put into the store of an embedded backend.
@Suite("An embedded backend whose rows are damaged")
struct EmbeddedDamageTests {
    /// The trees whose rows have a format.
    static let trees = [
        "zones", "records", "feed", "index", "referrers", "deletions", "batches", "documents",
        "assets", "forgotten", "batch feed",
    ]

    private let room: EmbeddedRoom
    private var bench: BackendBench
    private let full: Contents

    init() throws {
        room = try EmbeddedRoom()
        bench = BackendBench(room.backend)
        full = try Contents(&bench)
    }

    @Test("says so wherever a row is cut", arguments: ["zones", "records", "documents", "assets"])
    func cut(tree: String) throws {
        for (key, row) in try rows(of: tree) {
            for count in 0..<row.count where TestMode.isLong || count < 40 || count % 9 == 0 {
                // Without the asset's database, the row is sound: earlier builds wrote such rows.
                if tree == "assets", count == 12 { continue }
                try put(Array(row.prefix(count)), key, in: tree)
                #expect(try codes().contains(.damaged), "\(tree), cut to \(count) of \(row.count)")
            }
            for extra in [[0], [255, 255, 255, 255]] as [[UInt8]] {
                try put(row + extra, key, in: tree)
                #expect(try codes().contains(.damaged), "\(tree), with \(extra) behind")
            }
            try put(row, key, in: tree)
        }
        #expect(try codes() == [])
    }

    @Test("says so where a number that stands alone is cut", arguments: ["batches", "forgotten"])
    func cutNumber(tree: String) throws {
        for (key, row) in try rows(of: tree) where full.isLookedAt(key) {
            for bytes in [[], Array(row.dropLast()), row + [0]] {
                try put(bytes, key, in: tree)
                #expect(try codes().contains(.damaged))
            }
            try put(row, key, in: tree)
        }
    }

    @Test("lives on, whatever bytes stand in a row, and gives what it reads", arguments: trees)
    func strange(tree: String) throws {
        var random = TestRandom(seed: 5)
        let known: Set<RecordError.Code> = [
            .damaged, .assetNotFound, .limitExceeded, .invalidArguments,
        ]
        for (key, row) in try rows(of: tree) {
            for _ in 0..<TestMode.pick(short: 20, long: 400) {
                var bytes = row
                switch random.below(4) {
                case 0: bytes = random.bytes(random.below(80))
                case 1: bytes = [UInt8](repeating: 255, count: random.below(80))
                default:
                    for _ in 0...random.below(3) where !bytes.isEmpty {
                        bytes[random.below(bytes.count)] = random.pick([0, 1, 127, 128, 255])
                    }
                }
                try put(bytes, key, in: tree)
                #expect(try codes().isSubset(of: known))
            }
            try put(row, key, in: tree)
        }
        #expect(try codes() == [])
    }

    @Test("lives on, whatever keys stand in a tree", arguments: trees)
    func strangeKeys(tree: String) throws {
        var random = TestRandom(seed: 6)
        let known: Set<RecordError.Code> = [.damaged, .assetNotFound, .invalidArguments]
        for (key, row) in try rows(of: tree) {
            for _ in 0..<TestMode.pick(short: 10, long: 200) {
                // The first bytes identify the key's owner.
                let kept = 1 + random.below(min(key.count, 40))
                let other = Array(key.prefix(kept)) + random.bytes(random.below(40))
                guard other != key else { continue }
                try put(random.isOne(in: 2) ? row : random.bytes(9), other, in: tree)
                #expect(try codes().isSubset(of: known))
                try remove(other, from: tree)
                try put(row, key, in: tree)
            }
        }
        #expect(try codes() == [])
    }

    @Test("says so where a zone's version is at its end, or behind its feed")
    func versions() throws {
        for version in [.max, 0] as [UInt64] {
            for (key, row) in try rows(of: "zones") {
                let number = (0..<8).map { UInt8(truncatingIfNeeded: version >> (8 * $0)) }
                try put(Array(row[..<16]) + number + row[24...], key, in: "zones")
            }
            var bench = bench
            #expect(try bench.code { _ in try bench.save("new", in: full.zone) } == .damaged)
        }
    }

    @Test("says so where as many records hold an asset as can be counted")
    func holders() throws {
        let row = try #require(try rows(of: "assets").first { $0.key == full.asset.bytes })
        try put([255, 255, 255, 255] + row.row[4...], row.key, in: "assets")
        var bench = bench
        let entry = bench.entry(assets: [full.asset])
        #expect(try bench.code { _ in try bench.save("new", entry, in: full.zone) } == .damaged)
    }

    @Test("says so where the home of a database is malformed")
    func home() throws {
        let site = EmbeddedBackend(room.store)
        let database = full.zone.database
        var home = HomeRow(7, .here, other: "other", attempt: 3)
        (home.copy, home.source) = (try .new(), try .new())
        home.timeline = HomeRow.BroughtTimeline(try .new(), arrival: try .new())
        #expect(try site.moves.replaceHome(of: database, nil, with: home))
        #expect(try site.moves.home(of: database) == home && codes() == [])
        let (key, row) = try #require(try rows(of: "homes").first)
        for bytes in (0..<row.count).map({ Array(row.prefix($0)) }) + [row + [0]] {
            try put(bytes, key, in: "homes")
            #expect(try codes() == [.damaged], "cut to \(bytes.count) of \(row.count)")
        }
        try put(row, key, in: "homes")
        #expect(try codes() == [])
    }

    @Test("says so where a document's version is at its end")
    func documentVersion() throws {
        for (key, row) in try rows(of: "documents") {
            try put([UInt8](repeating: 255, count: 8) + row[8...], key, in: "documents")
        }
        let code = try bench.code {
            _ = try $0.replace("other", of: BackendBench.place, version: .max, with: [])
        }
        #expect(code == .damaged)
    }

    @Test("says so where the feed names a record that is not there, or is another's")
    func feed() throws {
        for name in ["nobody", "b"] {
            let rows = try rows(of: "feed")
            let (key, row) = try #require(rows.first { $0.row == Array("a".utf8) })
            try put(Array(name.utf8), key, in: "feed")
            let code = try bench.code { _ = try $0.changes(in: full.zone, after: 0, limit: 99) }
            #expect(code == .damaged)
            try put(row, key, in: "feed")
        }
    }

    /// The errors of all verbs on all data; changes made meanwhile are undone.
    private func codes() throws -> Set<RecordError.Code> {
        var codes: Set<RecordError.Code> = []
        let snapshot = try Self.trees.map { ($0, try rows(of: $0)) }
        for verb in full.verbs {
            if let code = try bench.code(verb) { codes.insert(code) }
        }
        try room.store.write(durability: .relaxed(within: .seconds(60))) { change in
            for (name, rows) in snapshot {
                guard let tree = try change.treeIfPresent(named: name) else { continue }
                try change.deleteRange(.all, in: tree)
                for (key, row) in rows { try change.put(row, forKey: key, in: tree) }
            }
        }
        return codes
    }

    private func rows(of tree: String) throws -> [(key: [UInt8], row: [UInt8])] {
        try room.store.read(visibility: .published) { snapshot in
            var rows: [(key: [UInt8], row: [UInt8])] = []
            guard let tree = try snapshot.treeIfPresent(named: tree) else { return rows }
            try snapshot.scan(tree) { key, row in
                rows.append(([UInt8](copying: key), [UInt8](copying: row)))
                return .next
            }
            return rows
        }
    }

    private func put(_ row: [UInt8], _ key: [UInt8], in tree: String) throws {
        try room.store.write { change in
            let tree = try change.openOrCreateTree(named: tree)
            try change.put(row, forKey: key, in: tree)
        }
    }

    private func remove(_ key: [UInt8], from tree: String) throws {
        try room.store.write { change in
            try change.delete(key, in: try change.tree(named: tree))
        }
    }
}

/// Some of everything, and calls that read all of it.
private struct Contents {
    let zone: ZoneLife
    let asset: RandomIdentifier
    private let known: BackendBatch
    let verbs: [@Sendable (any RecordBackend) throws -> Void]

    init(_ bench: inout BackendBench) throws {
        let (zone, asset) = (try bench.zone("zone"), bench.identifier())
        try bench.backend.put([1, 2, 3], 0, of: asset, time: bench.time)
        let edges = Set(RecordReference.Action.allCases.map { ReferenceEdge(target: "b", $0) })
        let place = IndexKey.place(.string("value"), of: "field", "Note", record: "a")
        let entry = bench.entry(indexes: [place], references: edges, assets: [asset])
        try bench.save("a", entry, in: zone)
        for name in ["b", "c", "d"] { try bench.save(name, in: zone) }
        try bench.delete("c", in: zone)
        try bench.backend.forgetDeletions(before: .max, in: zone)
        try bench.delete("d", in: zone)
        _ = try bench.backend.replace("other", of: BackendBench.place, version: 0, with: [1, 2])
        let change = BackendBatch.Change("none", expected: .nothing, entry: nil)
        let known = bench.batch([change], in: zone)
        _ = try bench.backend.commit(known)
        (self.zone, self.asset, self.known) = (zone, asset, known)
        verbs = Self.reading(zone, asset, known) + Self.writing(zone, asset, &bench)
    }

    /// Whether the calls read the row of this key, in a tree whose rows are single numbers.
    ///
    /// Of all batches, the calls know only one.
    func isLookedAt(_ key: [UInt8]) -> Bool {
        let zone = zone.incarnation.bytes
        return key == zone || key == zone + known.identifier.bytes
    }

    private static func reading(
        _ zone: ZoneLife, _ asset: RandomIdentifier, _ known: BackendBatch
    ) -> [@Sendable (any RecordBackend) throws -> Void] {
        [
            { _ = try $0.zones(in: zone.database) },
            { _ = try $0.zone(named: zone.name, in: zone.database) },
            { _ = try $0.records(["a", "b", "c", "d"], in: zone) },
            { _ = try $0.changes(in: zone, after: 0, limit: 99) },
            { _ = try $0.scan(IndexRange([], upTo: [255]), in: zone, after: nil, limit: 99) },
            {
                for action in RecordReference.Action.allCases {
                    _ = try $0.referrers(of: "b", action, in: zone, limit: 99)
                }
            },
            { _ = try $0.outcome(of: known.identifier, in: zone) },
            { _ = try $0.commit(known) },
            { _ = try $0.document("other", of: BackendBench.place) },
            { _ = try $0.chunk(0, of: asset) },
        ]
    }

    private static func writing(
        _ zone: ZoneLife, _ asset: RandomIdentifier, _ bench: inout BackendBench
    ) -> [@Sendable (any RecordBackend) throws -> Void] {
        let holding = bench.entry(assets: [asset])
        let plain = bench.entry()
        let batches = [
            bench.batch([.init("new", expected: .anything, entry: holding)], in: zone),
            bench.batch(
                ["b", "d", "a"].map { .init($0, expected: .anything, entry: plain) }, in: zone),
        ]
        return [
            { _ = try $0.commit(batches[0]) }, { _ = try $0.commit(batches[1]) },
            {
                _ = try $0.replace("other", of: BackendBench.place, version: 1, with: [3])
            },
            { try $0.forgetDeletions(before: .max, in: zone) },
            { _ = try $0.freeOrphans(before: .max) },
            { _ = try $0.delete(zone) },
        ]
    }
}
