import BullaRecords
import Testing

extension ConformanceCheck {
    static let batches = [
        ConformanceCheck("a batch is seen whole, and its changes have numbers in order") {
            bench throws in
            let zone = try bench.zone()
            let entries = (0..<5).map { _ in bench.entry() }
            let changes = entries.enumerated().map {
                BackendBatch.Change("r\($0.offset)", expected: .nothing, entry: $0.element)
            }
            #expect(try bench.commit(changes, in: zone) == .committed(first: 1))
            let records = try bench.backend.records((0..<6).map { "r\($0)" }, in: zone)
            #expect(
                records
                    == entries.enumerated().map {
                        StoredRecord(version: UInt64($0.offset) + 1, .record($0.element.bytes))
                    } + [nil])
            #expect(try bench.headVersion(of: zone) == 5)
            #expect(try bench.save("r6", in: zone) == .committed(first: 6))
        },
        ConformanceCheck("a batch of which one change conflicts changes nothing", nothingHalf),
        ConformanceCheck("an empty batch is committed, and counts nothing") { bench throws in
            let zone = try bench.zone()
            #expect(try bench.commit([], in: zone) == .committed(first: 1))
            #expect(try bench.headVersion(of: zone) == 0)
        },
        ConformanceCheck("records are read in the order asked for, each as often as asked") {
            bench throws in
            let zone = try bench.zone()
            for name in ["a", "b"] { try bench.save(name, in: zone) }
            let read = try bench.backend.records(["b", "x", "a", "b"], in: zone)
            #expect(read.map { $0?.version } == [2, nil, 1, 2])
            #expect(try bench.backend.records([], in: zone).isEmpty)
        },
        ConformanceCheck("a batch under another epoch is refused, and told the epoch") {
            bench throws in
            let zone = bench.newZone()
            #expect(try bench.backend.create(zone))
            var next = zone
            (next.epoch, next.keys) = (2, [5])
            #expect(try bench.rekey(next, from: zone.keys, epoch: 1))
            let life = ZoneLife(zone)
            #expect(try bench.save("record", in: life) == .otherEpoch(2))
            #expect(try bench.headVersion(of: life) == 1)
            let batch = bench.batch([], in: life, epoch: 2)
            #expect(try bench.backend.commit(batch) == .committed(first: 2))
        },
        ConformanceCheck("a batch under another schema is refused, and told its version") {
            bench throws in
            let zone = try bench.zone()
            let ahead = bench.batch([], in: zone, schema: 1)
            #expect(try bench.backend.commit(ahead) == .otherSchema(0))
            let schema = PlaceDocument.schema
            #expect(
                try bench.backend.replace(schema, of: BackendBench.place, version: 0, with: [1]))
            #expect(try bench.save("record", in: zone) == .otherSchema(1))
            #expect(try bench.backend.commit(ahead) == .committed(first: 1))
        },
        ConformanceCheck("a batch that rests on another head is refused, and told the head") {
            bench throws in
            let zone = try bench.zone()
            try bench.save("record", in: zone)
            for head in [0, 2] as [UInt64] {
                let batch = bench.batch([], in: zone, head: head)
                #expect(try bench.backend.commit(batch) == .otherHead(1))
            }
            let batch = bench.batch([], in: zone, head: 1)
            #expect(try bench.backend.commit(batch) == .committed(first: 2))
        },
        ConformanceCheck("a batch that names a record twice is refused") { bench throws in
            let zone = try bench.zone()
            let changes = [bench.entry(), bench.entry()].map {
                BackendBatch.Change("twice", expected: .anything, entry: $0)
            }
            let batch = bench.batch(changes, in: zone)
            #expect(try bench.code { _ = try $0.commit(batch) } == .invalidArguments)
            #expect(try bench.headVersion(of: zone) == 0)
            #expect(try bench.record("twice", in: zone) == nil)
        },
        ConformanceCheck("a batch with a zero byte in a name is refused") { bench throws in
            let zone = try bench.zone()
            let edge = ReferenceEdge(target: "t\0x", .validate)
            let changes = [
                BackendBatch.Change("n\0", expected: .anything, entry: nil),
                BackendBatch.Change(
                    "n", expected: .anything, entry: bench.entry(references: [edge])),
            ]
            for change in changes {
                let batch = bench.batch([change], in: zone)
                #expect(try bench.code { _ = try $0.commit(batch) } == .invalidArguments)
            }
            #expect(try bench.headVersion(of: zone) == 0)
        },
        ConformanceCheck("a batch is committed once, and what became of it is known", once),
        ConformanceCheck("a batch that was committed stays so, whatever came after it") {
            bench throws in
            let zone = bench.newZone()
            #expect(try bench.backend.create(zone))
            let change = BackendBatch.Change("record", expected: .nothing, entry: bench.entry())
            let batch = bench.batch([change], in: ZoneLife(zone), head: 0)
            #expect(try bench.backend.commit(batch) == .committed(first: 1))
            try bench.save("record", in: ZoneLife(zone))
            var next = zone
            next.epoch = 2
            #expect(try bench.rekey(next, from: zone.keys, epoch: 1))
            #expect(try bench.backend.commit(batch) == .committed(first: 1))
            #expect(try bench.headVersion(of: ZoneLife(zone)) == 3)
        },
        ConformanceCheck("a batch of a time long ago, or far ahead, is a batch") { bench throws in
            let zone = try bench.zone()
            for time in [.min, .max, -1, 0] as [Int64] {
                bench.time = time
                let change = BackendBatch.Change("\(time)", expected: .nothing, entry: nil)
                let batch = bench.batch([change], in: zone)
                let outcome = try bench.backend.commit(batch)
                guard case .committed(let first) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(
                    try bench.record("\(time)", in: zone)?.content == .deleted(type: "", time: time)
                )
                #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == first)
            }
            #expect(try bench.headVersion(of: zone) == 4)
        },
    ]

    private static func nothingHalf(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        let place = IndexKey.place(.string("old"), of: "field", "Note", record: "a")
        let edge = ReferenceEdge(target: "b", .none)
        try bench.save("a", bench.entry(indexes: [place], references: [edge]), in: zone)
        try bench.save("b", in: zone)
        let before = try bench.feed(of: zone).map(\.record)
        let changes = [
            BackendBatch.Change("a", expected: .anything, entry: nil),
            BackendBatch.Change("c", expected: .nothing, entry: bench.entry()),
            BackendBatch.Change("b", expected: .nothing, entry: bench.entry()),
        ]
        let batch = bench.batch(changes, in: zone)
        #expect(try bench.backend.commit(batch) == .conflicts([2: before[1]]))
        #expect(try bench.feed(of: zone).map(\.record) == before)
        #expect(try bench.headVersion(of: zone) == 2)
        #expect(try bench.record("c", in: zone) == nil)
        #expect(try bench.scan(IndexKey.field("field", of: "Note"), in: zone) == ["a"])
        #expect(try bench.backend.referrers(of: "b", .none, in: zone, limit: 9) == ["a"])
        #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == nil)
        // The batch was not committed, so it can be tried again once nothing prevents it.
        try bench.delete("b", in: zone)
        #expect(try bench.backend.commit(batch) == .committed(first: 4))
    }

    private static func once(_ bench: inout BackendBench) throws {
        let (zone, other) = (try bench.zone("one"), try bench.zone("other"))
        try bench.save("record", in: zone)
        let changes = ["a", "b"].map {
            BackendBatch.Change($0, expected: .nothing, entry: bench.entry())
        }
        let batch = bench.batch(changes, in: zone)
        #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == nil)
        for _ in 0..<3 { #expect(try bench.backend.commit(batch) == .committed(first: 2)) }
        #expect(try bench.headVersion(of: zone) == 3)
        #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == 2)
        #expect(try bench.backend.outcome(of: batch.identifier, in: other) == nil)
        // The batch's outcome is still known half a day later.
        bench.time += 12 * 3_600_000
        for _ in 0..<10 { try bench.save("later", in: zone) }
        #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == 2)
        #expect(try bench.backend.commit(batch) == .committed(first: 2))
        #expect(try bench.headVersion(of: zone) == 13)
    }

    static let expectations = [
        ConformanceCheck("nothing is expected where a record never was, or is not any more") {
            bench throws in
            let zone = try bench.zone()
            let change = BackendBatch.Change("r", expected: .nothing, entry: bench.entry())
            #expect(try bench.commit([change], in: zone) == .committed(first: 1))
            let there = try bench.record("r", in: zone)
            #expect(try bench.commit([change], in: zone) == .conflicts([0: there]))
            try bench.delete("r", in: zone)
            #expect(try bench.commit([change], in: zone) == .committed(first: 3))
        },
        ConformanceCheck("a tag is expected where the record has it, and nowhere else") {
            bench throws in
            let zone = try bench.zone()
            let entry = bench.entry()
            let byTag = BackendBatch.Change("r", expected: .tag(entry.tag), entry: bench.entry())
            #expect(try bench.commit([byTag], in: zone) == .conflicts([0: nil]))
            try bench.save("r", entry, in: zone)
            #expect(try bench.commit([byTag], in: zone) == .committed(first: 2))
            let there = try bench.record("r", in: zone)
            #expect(try bench.commit([byTag], in: zone) == .conflicts([0: there]))
            let deletion = BackendBatch.Change("r", expected: .tag(entry.tag), entry: nil)
            #expect(try bench.commit([deletion], in: zone) == .conflicts([0: there]))
            try bench.delete("r", in: zone)
            let gone = StoredRecord(version: 3, .deleted(type: "Note", time: bench.time))
            #expect(try bench.commit([byTag], in: zone) == .conflicts([0: gone]))
        },
        ConformanceCheck("anything may stand where anything is expected") { bench throws in
            let zone = try bench.zone()
            #expect(try bench.save("r", in: zone) == .committed(first: 1))
            #expect(try bench.save("r", in: zone) == .committed(first: 2))
            #expect(try bench.delete("r", in: zone) == .committed(first: 3))
            #expect(try bench.delete("r", in: zone) == .committed(first: 4))
            #expect(try bench.save("r", in: zone) == .committed(first: 5))
        },
        ConformanceCheck("every conflict of a batch is told, each with what stands there") {
            bench throws in
            let zone = try bench.zone()
            for name in ["a", "b", "c"] { try bench.save(name, in: zone) }
            try bench.delete("c", in: zone)
            let changes = [
                BackendBatch.Change("a", expected: .nothing, entry: nil),
                BackendBatch.Change("new", expected: .nothing, entry: bench.entry()),
                BackendBatch.Change("b", expected: .tag(bench.tag()), entry: bench.entry()),
                BackendBatch.Change("c", expected: .tag(bench.tag()), entry: bench.entry()),
                BackendBatch.Change("none", expected: .tag(bench.tag()), entry: nil),
            ]
            let there = try bench.backend.records(["a", "b", "c"], in: zone)
            #expect(there[2]?.bytes == nil && there[2] != nil)
            #expect(
                try bench.commit(changes, in: zone)
                    == .conflicts([0: there[0], 2: there[1], 3: there[2], 4: nil]))
        },
    ]
}
