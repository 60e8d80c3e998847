import BullaRecords
import Testing

extension ConformanceCheck {
    static let seals = [
        ConformanceCheck("a head is sealed with each change, over the records that it replaces") {
            bench throws in
            let zone = try bench.zone()
            let (one, two) = (bench.entry(), bench.entry())
            try bench.commit(
                [
                    .init("a", expected: .nothing, entry: one),
                    .init("b", expected: .nothing, entry: two),
                ], in: zone)
            try bench.delete("b", in: zone)
            let head = try #require(
                try bench.backend.zone(named: zone.name, in: zone.database))
            try bench.commit(
                [
                    .init("b", expected: .anything, entry: two),
                    .init("new", expected: .anything, entry: nil),
                    .init("a", expected: .tag(one.tag), entry: bench.entry()),
                ], in: zone)
            let next = try #require(
                try bench.backend.zone(named: zone.name, in: zone.database))
            let former = FormerRecord(one.tag, version: 1, digest: one.digest)
            #expect(try next.seal == BackendBench.sealing(head, next, [nil, nil, former]))
            #expect(next.version == head.version + 3)
        },
        ConformanceCheck("new keys count as a change, which is sealed over no records") {
            bench throws in
            let zone = try bench.zone()
            try bench.save("a", in: zone)
            let head = try #require(
                try bench.backend.zone(named: zone.name, in: zone.database))
            var next = head
            (next.epoch, next.keys) = (2, [7])
            let isDone = try bench.rekey(next, from: head.keys, epoch: head.epoch)
            let found = try #require(
                try bench.backend.zone(named: zone.name, in: zone.database))
            next.version += 1
            #expect(try isDone && found.seal == BackendBench.sealing(head, next, []))
        },
        ConformanceCheck("a change that is not sealed is not made", unsealed),
    ]

    private static func unsealed(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        try bench.save("a", in: zone)
        let former = try bench.state(of: zone)
        let refusal = RecordError(.damaged, "seal a head: the test does not want it")
        let batch = BackendBatch(
            zone, identifier: bench.identifier(), epoch: 1, schemaVersion: 0, time: bench.time,
            changes: [
                .init("a", expected: .anything, entry: bench.entry()),
                .init("b", expected: .anything, entry: bench.entry()),
            ], sealing: { _, _, _ throws(RecordError) in throw refusal })
        #expect(try bench.code { _ = try $0.commit(batch) } == .damaged)
        #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == nil)
        var next = try #require(former.head)
        (next.epoch, next.keys) = (2, [7])
        let code = try bench.code { backend in
            _ = try backend.rekey(
                next, from: former.head?.keys ?? [], formerEpoch: 1,
                sealing: { _, _, _ throws(RecordError) in throw refusal })
        }
        #expect(code == .damaged)
        #expect(try bench.state(of: zone) == former)
    }

    static let contents = [
        ConformanceCheck("the contents of a zone are its records by name, and its head") {
            bench throws in
            let (zone, other) = (try bench.zone(), try bench.zone("other"))
            try bench.save("b", in: other)
            var names: [String] = []
            for start in stride(from: 0, to: 450, by: 50) {
                let some = (start..<start + 50).map { "\($0 % 7)\u{e9}\($0)" }
                names += some
                try bench.commit(
                    some.map { .init($0, expected: .nothing, entry: bench.entry()) }, in: zone)
            }
            try bench.save(names[5], in: zone)
            try bench.delete(names[8], in: zone)
            names.remove(at: 8)
            let state = try bench.state(of: zone)
            #expect(state.records.map(\.name) == names.sorted { $0.precedes($1) })
            let read = try bench.backend.records(state.records.map(\.name), in: zone)
            #expect(state.records.map(\.record) == read)
            #expect(
                try state.head == bench.backend.zone(named: zone.name, in: zone.database))
            #expect(try bench.state(of: other).records.map(\.name) == ["b"])
        },
        ConformanceCheck("the contents of a zone without records, and of one that is gone") {
            bench throws in
            let zone = try bench.zone()
            #expect(try bench.state(of: zone).records.isEmpty)
            #expect(try bench.state(of: zone).head?.incarnation == zone.incarnation)
            try bench.save("a", in: zone)
            #expect(try bench.backend.delete(zone))
            _ = try bench.zone()
            #expect(try bench.state(of: zone).head == nil)
            #expect(try bench.state(of: zone).records.isEmpty)
        },
        ConformanceCheck("a visitor of contents that throws is called no more") { bench throws in
            let zone = try bench.zone()
            for name in ["a", "b", "c"] { try bench.save(name, in: zone) }
            var names: [String] = []
            let code = try bench.code { backend in
                _ = try backend.contents(of: zone) { name, _ throws(RecordError) in
                    names.append(name)
                    if name == "b" { throw RecordError(.quotaExceeded, "visit records: enough") }
                }
            }
            #expect(code == .quotaExceeded && names == ["a", "b"])
            try bench.save("d", in: zone)
            #expect(try bench.state(of: zone).records.count == 4)
        },
    ]
}

/// A zone's head and records at one moment.
private struct ZoneContents: Equatable {
    var head: StoredZone?
    var records: [(name: String, record: StoredRecord)] = []

    static func == (one: ZoneContents, other: ZoneContents) -> Bool {
        one.head == other.head && one.records.elementsEqual(other.records) { $0 == $1 }
    }
}

extension BackendBench {
    fileprivate func state(of zone: ZoneLife) throws -> ZoneContents {
        var contents = ZoneContents()
        contents.head = try backend.contents(of: zone) { contents.records.append(($0, $1)) }
        return contents
    }
}
