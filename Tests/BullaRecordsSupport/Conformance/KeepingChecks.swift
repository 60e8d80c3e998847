import BullaRecords
import BullaTestSupport
import Testing

extension ConformanceCheck {
    static let references = [
        ConformanceCheck("who names a record is found by what is to become of it") { bench throws in
            let zone = try bench.zone()
            for (name, action) in [("c", .none), ("a", .none), ("b", .validate)]
                as [(String, RecordReference.Action)]
            {
                let edge = ReferenceEdge(target: "target", action)
                try bench.save(name, bench.entry(references: [edge]), in: zone)
            }
            let both = Set([.none, .deleteSelf].map { ReferenceEdge(target: "target", $0) })
            try bench.save("d", bench.entry(references: both), in: zone)
            let backend = bench.backend
            func found(_ action: RecordReference.Action, limit: Int = 9) throws -> [String] {
                try backend.referrers(of: "target", action, in: zone, limit: limit)
            }
            #expect(try found(.none) == ["a", "c", "d"])
            #expect(try found(.none, limit: 2) == ["a", "c"])
            #expect(try found(.deleteSelf) == ["d"])
            #expect(try found(.validate) == ["b"])
            #expect(try found(.validate, limit: 0) == ["b"])
            try bench.save("a", in: zone)
            try bench.delete("d", in: zone)
            #expect(try found(.none) == ["c"])
            #expect(try found(.deleteSelf).isEmpty)
        },
        ConformanceCheck("records whose names begin alike are named apart") { bench throws in
            let zone = try bench.zone()
            for target in ["t", "tt", "t!"] {
                let edge = ReferenceEdge(target: target, .deleteSelf)
                try bench.save("to.\(target)", bench.entry(references: [edge]), in: zone)
            }
            for target in ["t", "tt", "t!"] {
                let names = try bench.backend.referrers(of: target, .deleteSelf, in: zone, limit: 9)
                #expect(names == ["to.\(target)"])
            }
        },
    ]

    static let documents = [
        ConformanceCheck("a document is replaced if its version is known") { bench throws in
            let place = BackendBench.place
            #expect(try bench.backend.document("schema", of: place) == nil)
            #expect(try !bench.backend.replace("schema", of: place, version: 1, with: [1]))
            #expect(try bench.backend.replace("schema", of: place, version: 0, with: [1]))
            #expect(try !bench.backend.replace("schema", of: place, version: 0, with: [2]))
            #expect(
                try bench.backend.document("schema", of: place) == StoredDocument(version: 1, [1]))
            #expect(try bench.backend.replace("schema", of: place, version: 1, with: []))
            #expect(
                try bench.backend.document("schema", of: place) == StoredDocument(version: 2, []))
        },
        ConformanceCheck("places and names have documents of their own") { bench throws in
            let places = [
                BackendBench.place, Place(BackendBench.place.container, .production),
                Place("iCloud.org.example", .development),
            ]
            for (number, place) in places.enumerated() {
                for name in ["schema", "schem", "schemas"] {
                    let bytes = Array("\(name)\(number)".utf8)
                    #expect(try bench.backend.replace(name, of: place, version: 0, with: bytes))
                }
            }
            for (number, place) in places.enumerated() {
                for name in ["schema", "schem", "schemas"] {
                    let bytes = Array("\(name)\(number)".utf8)
                    #expect(try bench.backend.document(name, of: place)?.bytes == bytes)
                }
            }
        },
    ]

    static let names = [
        ConformanceCheck("names may have 255 bytes each, with all values at their limits") {
            bench throws in
            func long(_ letter: Character) -> String { String(repeating: letter, count: 255) }
            let owner = bench.database().owner
            let database = Database(Place(long("c"), .production), owner: owner)
            let zone = try bench.zone(long("z"), in: database)
            let (type, field, name) = (long("T"), long("f"), long("~"))
            let target = RecordReference(
                RecordIdentifier(long("}"), in: ZoneIdentifier(long("z"), owner: owner)))
            let values: [RecordValue] = [
                .string(String(repeating: "\0", count: 255)), .reference(target), .int64(.min),
                .bytes([UInt8](repeating: 0, count: 255)), .timestamp(.max), .double(-.infinity),
            ]
            let places = values.map { IndexKey.place($0, of: field, type, record: name) }
            let edges = RecordReference.Action.allCases.map { ReferenceEdge(target: long("}"), $0) }
            let entry = bench.entry(type, indexes: Set(places), references: Set(edges))
            #expect(try bench.save(name, entry, in: zone) == .committed(first: 1))
            #expect(try bench.record(name, in: zone)?.bytes == entry.bytes)
            for value in values {
                #expect(
                    try bench.scan(IndexKey.value(value, of: field, type), in: zone).contains(name))
            }
            for edge in edges {
                let found = try bench.backend.referrers(
                    of: edge.target, edge.action, in: zone, limit: 1)
                #expect(found == [name])
            }
            #expect(try bench.backend.replace(long("d"), of: database.place, version: 0, with: [1]))
            #expect(try bench.delete(name, in: zone) == .committed(first: 2))
            #expect(
                try bench.record(name, in: zone)?.content == .deleted(type: type, time: bench.time))
            #expect(try bench.scan(IndexKey.field(field, of: type), in: zone).isEmpty)
        },
        ConformanceCheck("records whose names begin alike are records of their own") {
            bench throws in
            let zone = try bench.zone()
            let names = (1...12).map { String(repeating: "n", count: $0) } + ["n!", "N", "_n"]
            for name in names { try bench.save(name, in: zone) }
            try bench.delete("nnn", in: zone)
            for (number, name) in names.enumerated() where name != "nnn" {
                #expect(try bench.record(name, in: zone)?.version == UInt64(number) + 1)
            }
            #expect(try bench.feed(of: zone).count == names.count)
        },
        ConformanceCheck("a record that is long is kept whole, and replaced by a short one") {
            bench throws in
            let zone = try bench.zone()
            for byteCount in [0, 1, 4_000, 1 << 20, 3] {
                var entry = bench.entry()
                entry.bytes = bench.random.bytes(byteCount)
                try bench.save("record", entry, in: zone)
                #expect(try bench.record("record", in: zone)?.bytes == entry.bytes)
            }
            #expect(try bench.feed(of: zone).count == 1)
        },
    ]
}

extension ConformanceCheck {
    static let waiting = [
        ConformanceCheck("a wait ends with a change, and each is told once") { bench throws in
            let zone = try bench.zone()
            let first = try bench.backend.waitForCommit(after: 0, timeout: .seconds(100))
            try bench.save("a", in: zone)
            let second = try bench.backend.waitForCommit(
                after: first ?? .max, timeout: .seconds(100))
            #expect(first ?? .max < second ?? 0)
            let none = try bench.backend.waitForCommit(after: second ?? 0, timeout: .zero)
            #expect(none == nil)
        }
    ]
}
