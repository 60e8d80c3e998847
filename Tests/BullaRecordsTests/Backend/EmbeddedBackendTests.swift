import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// What an embedded backend does beyond the requirements of every backend.
@Suite("An embedded backend")
struct EmbeddedBackendTests {
    @Test("finds everything again after a restart", arguments: [StoreKind.plain, .gcm])
    func restart(kind: StoreKind) throws {
        let room = try EmbeddedRoom(kind)
        var bench = BackendBench(room.backend)
        let (zone, asset) = (try bench.zone(), bench.identifier())
        try bench.backend.put([1, 2], 0, of: asset, time: bench.time)
        let place = IndexKey.place(.int64(5), of: "field", "Note", record: "a")
        let edge = ReferenceEdge(target: "b", .validate)
        let entry = bench.entry(indexes: [place], references: [edge], assets: [asset])
        try bench.save("a", entry, in: zone)
        let batch = bench.batch([.init("b", expected: .anything, entry: nil)], in: zone)
        _ = try bench.backend.commit(batch)
        let feed = try bench.feed(of: zone)
        try room.restart()
        let now = BackendBench(room.backend)
        #expect(try now.feed(of: zone).map(\.record) == feed.map(\.record))
        #expect(try now.headVersion(of: zone) == 2)
        #expect(try now.record("a", in: zone)?.bytes == entry.bytes)
        #expect(try now.scan(IndexKey.field("field", of: "Note"), in: zone) == ["a"])
        #expect(try now.backend.referrers(of: "b", .validate, in: zone, limit: 9) == ["a"])
        #expect(try now.backend.chunk(0, of: asset) == [1, 2])
        #expect(try now.backend.outcome(of: batch.identifier, in: zone) == 2)
        #expect(try now.backend.commit(batch) == .committed(first: 2))
    }

    @Test("tells of a batch that is not durable yet once it is")
    func pendingBatch() throws {
        let room = try EmbeddedRoom()
        var bench = BackendBench(room.backend)
        let zone = try bench.zone()
        try bench.save("a", in: zone)
        let batch = bench.identifier()
        try room.store.write(durability: .relaxed(within: .seconds(3_600))) { change in
            let tree = try change.tree(named: "batches")
            try change.put(
                [0, 0, 0, 0, 0, 0, 0, 9], forKey: zone.incarnation.bytes + batch.bytes, in: tree)
        }
        let durable = { () throws -> Int in
            try room.store.read { try $0.count(of: try $0.tree(named: "batches")) }
        }
        #expect(try durable() == 1)
        #expect(try room.backend.outcome(of: batch, in: zone) == 9)
        #expect(try durable() == 2)
    }

    @Test("puts chunks as long as they come, and ends when another writer waits")
    func awaited() throws {
        let room = try EmbeddedRoom()
        var bench = BackendBench(room.backend)
        let (asset, time, limit) = (bench.identifier(), bench.time, 1 << 20)
        let begun = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        try Crew.run(2) { number in
            guard number == 0 else {
                begun.wait()
                return try room.store.write { _ = try $0.createTree(named: "another's") }
            }
            try room.backend.put(from: 0, of: asset, time: time) {
                count.withLock { count in
                    if count == 0 { begun.signal() }
                    count += 1
                    return count > limit ? nil : [1]
                }
            }
        }
        let taken = count.withLock { $0 }
        #expect(taken <= limit)
        #expect(try room.backend.chunk(UInt32(taken - 1), of: asset) == [1])
        #expect(try room.backend.chunk(UInt32(taken), of: asset) == nil)
    }

    @Test("leaves nothing of a zone that has ended")
    func nothingLeft() throws {
        let room = try EmbeddedRoom()
        var model = BackendModel(room.backend, seed: 4)
        for _ in 0..<400 { model.learn(model.next().answer(of: room.backend)) }
        for database in model.databases {
            for zone in try room.backend.zones(in: database) {
                #expect(try room.backend.delete(ZoneLife(zone)))
            }
        }
        _ = try room.backend.freeOrphans(before: .max)
        let counts = try counts(room.store).filter { $0.key != "documents" && $0.value > 0 }
        #expect(counts == [:])
    }

    @Test("forgets batches a day after they were committed, and not before")
    func forgetsBatches() throws {
        let room = try EmbeddedRoom()
        var bench = BackendBench(room.backend)
        let zone = try bench.zone()
        let old = (0..<8).map { _ in
            bench.batch([.init("r", expected: .anything, entry: bench.entry())], in: zone)
        }
        for batch in old { _ = try room.backend.commit(batch) }
        bench.time += 24 * 3_600_000
        for _ in 0..<5 { try bench.save("r", in: zone) }
        for (index, batch) in old.enumerated() {
            let outcome = try room.backend.outcome(of: batch.identifier, in: zone)
            #expect(outcome == UInt64(index) + 1)
        }
        bench.time += 3 * 3_600_000
        for _ in 0..<2 { try bench.save("r", in: zone) }
        for batch in old {
            #expect(try room.backend.outcome(of: batch.identifier, in: zone) == nil)
        }
        #expect(try counts(room.store)["batches"] == 7)
        #expect(try counts(room.store)["batch feed"] == 7)
    }

    @Test("moves and forgets the batches that an earlier build has committed")
    func formerBatches() throws {
        let room = try EmbeddedRoom()
        var bench = BackendBench(room.backend)
        let zone = try bench.zone()
        let old = (0..<4).map { _ in
            bench.batch([.init("r", expected: .anything, entry: bench.entry())], in: zone)
        }
        for batch in old { _ = try room.backend.commit(batch) }
        try room.store.write { change in
            let feed = try change.tree(named: "batch feed")
            let times = try change.createTree(named: "batch times")
            for (key, note) in try change.entries(of: feed) {
                try change.put(
                    [UInt8](), forKey: Array(note.suffix(8) + key.prefix(16) + note.prefix(16)),
                    in: times)
                try change.delete(key, in: feed)
            }
        }
        try bench.save("r", in: zone)
        let page = try #require(
            try EmbeddedBackend(room.store).moves.page(of: zone, after: 0, limit: 9))
        #expect(page.batches.prefix(4).map(\.identifier) == old.map(\.identifier))
        #expect(page.batches.map(\.first) == [1, 2, 3, 4, 5])
        #expect(page.batches.map(\.time) == [Int64](repeating: bench.time, count: 5))
        bench.time += 27 * 3_600_000
        for _ in 0..<2 { try bench.save("r", in: zone) }
        for batch in old {
            #expect(try room.backend.outcome(of: batch.identifier, in: zone) == nil)
        }
        let left = try counts(room.store)
        #expect(left["batches"] == 2 && left["batch feed"] == 2 && left["batch times"] == 0)
    }

    @Test("gives an asset that an earlier build has put to the database that goes on with it")
    func formerAsset() throws {
        let room = try EmbeddedRoom()
        var bench = BackendBench(room.backend)
        let (zone, asset, time) = (try bench.zone(), bench.identifier(), bench.time)
        let other = bench.database()
        try room.backend.put([[1]], from: 0, of: asset, in: other, time: time)
        try room.store.write { change in
            let assets = try change.tree(named: "assets")
            for (key, row) in try change.entries(of: assets) {
                try change.put(Array(row.prefix(12)), forKey: key, in: assets)
            }
            let orphans = try change.tree(named: "orphans")
            for (key, _) in try change.entries(of: orphans) {
                try change.put([UInt8](), forKey: key, in: orphans)
            }
        }
        let moves = EmbeddedBackend(room.store).moves
        #expect(try moves.uploads(in: BackendBench.public).isEmpty)
        try room.backend.put([[2]], from: 1, of: asset, in: BackendBench.public, time: time)
        #expect(try moves.uploads(in: BackendBench.public).map(\.asset) == [asset])
        let code = try bench.code { try $0.put([[3]], from: 2, of: asset, in: other, time: time) }
        #expect(code == .invalidArguments)
        try bench.save("record", bench.entry(assets: [asset]), in: zone)
        #expect(try moves.holderCount(of: asset, in: BackendBench.public) == 1)
    }

    @Test("refuses what the store would not give back, and changes nothing")
    func tooLong() throws {
        let room = try EmbeddedRoom()
        var bench = BackendBench(room.backend)
        let zone = try bench.zone()
        var entry = bench.entry()
        entry.bytes = [UInt8](repeating: 7, count: 16 << 20)
        #expect(try bench.code { _ in try bench.save("long", entry, in: zone) } == .limitExceeded)
        let name = String(repeating: "n", count: 2_000)
        #expect(try bench.code { _ in try bench.save(name, in: zone) } == .limitExceeded)
        let place = [UInt8](repeating: 7, count: 2_000)
        let indexed = bench.entry(indexes: [place])
        #expect(try bench.code { _ in try bench.save("i", indexed, in: zone) } == .limitExceeded)
        #expect(try bench.headVersion(of: zone) == 0)
        #expect(try bench.feed(of: zone).isEmpty)
    }

    private func counts(_ store: Store) throws -> [String: Int] {
        try store.read { snapshot in
            var counts: [String: Int] = [:]
            for name in try snapshot.treeNames() {
                counts["\(name)"] = try snapshot.count(of: try snapshot.tree(named: name.bytes))
            }
            return counts
        }
    }
}
