import BullaRecords
import Testing

extension ConformanceCheck {
    static let indexes = [
        ConformanceCheck("a part of an index is read from both ends, in pages of any length") {
            bench throws in
            let zone = try bench.zone()
            let names = (10..<23).map { "r\($0)" }
            for (number, name) in names.enumerated() {
                let entry = bench.entry(.int64(Int64(number)), name: name)
                try bench.save(name, entry, in: zone)
            }
            let range = IndexKey.field("field", of: "Note")
            for limit in 1...14 {
                #expect(try bench.scan(range, in: zone, limit: limit) == names)
                #expect(
                    try bench.scan(range.reversed, in: zone, limit: limit) == names.reversed())
            }
            let page = try bench.backend.scan(range, in: zone, after: nil, limit: 13)
            #expect(page.mark == nil)
            #expect(try bench.backend.scan(range, in: zone, after: nil, limit: 0).names == ["r10"])
        },
        ConformanceCheck("a mark means what comes behind it, wherever it lies", marks),
        ConformanceCheck("a record that changes leaves its former places") { bench throws in
            let zone = try bench.zone()
            try bench.save("r", bench.entry(.int64(1), name: "r"), in: zone)
            try bench.save("s", bench.entry(.int64(1), name: "s"), in: zone)
            try bench.save("r", bench.entry(.int64(2), name: "r"), in: zone)
            #expect(
                try bench.scan(IndexKey.value(.int64(1), of: "field", "Note"), in: zone) == ["s"])
            #expect(
                try bench.scan(IndexKey.value(.int64(2), of: "field", "Note"), in: zone) == ["r"])
            try bench.delete("r", in: zone)
            #expect(try bench.scan(IndexKey.field("field", of: "Note"), in: zone) == ["s"])
            try bench.save("r", bench.entry(.int64(0), name: "r"), in: zone)
            #expect(try bench.scan(IndexKey.field("field", of: "Note"), in: zone) == ["r", "s"])
        },
        ConformanceCheck(
            "a record is indexed anew where it has the tag still, and no change is seen"
        ) {
            bench throws in
            let zone = try bench.zone()
            let entry = bench.entry(.int64(1), name: "r")
            try bench.save("r", entry, in: zone)
            try bench.save("s", bench.entry(.int64(1), name: "s"), in: zone)
            let version = try bench.headVersion(of: zone)
            let place = IndexKey.place(.int64(2), of: "other", "Note", record: "r")
            let stale = IndexKey.place(.int64(3), of: "other", "Note", record: "s")
            try bench.backend.reindex(
                [
                    ReindexedRecord("r", entry.tag, indexes: [place]),
                    ReindexedRecord("s", bench.entry().tag, indexes: [stale]),
                    ReindexedRecord("none", entry.tag, indexes: [stale]),
                ], in: zone)
            #expect(try bench.scan(IndexKey.field("other", of: "Note"), in: zone) == ["r"])
            #expect(try bench.scan(IndexKey.field("field", of: "Note"), in: zone) == ["s"])
            #expect(try bench.headVersion(of: zone) == version)
            try bench.delete("r", in: zone)
            #expect(try bench.scan(IndexKey.field("other", of: "Note"), in: zone).isEmpty)
        },
        ConformanceCheck("a record stands in as many places as it has values") { bench throws in
            let zone = try bench.zone()
            let places = [3, 1, 2].map {
                IndexKey.place(.int64($0), of: "field", "Note", record: "r")
            }
            try bench.save("r", bench.entry(indexes: Set(places)), in: zone)
            let range = IndexKey.field("field", of: "Note")
            #expect(try bench.scan(range, in: zone, limit: 1) == ["r", "r", "r"])
            try bench.save("r", bench.entry(indexes: [places[0]]), in: zone)
            #expect(try bench.scan(range, in: zone) == ["r"])
        },
        ConformanceCheck("types and fields whose names begin alike have indexes of their own") {
            bench throws in
            let zone = try bench.zone()
            for (type, field) in [("A", "b"), ("Ab", "b"), ("A", "bc"), ("A", "B"), ("Abb", "b")] {
                let name = "\(type).\(field)"
                try bench.save(
                    name, bench.entry(.string("b"), of: field, type, name: name), in: zone)
            }
            #expect(try bench.scan(IndexKey.field("b", of: "A"), in: zone) == ["A.b"])
            #expect(try bench.scan(IndexKey.field("bc", of: "A"), in: zone) == ["A.bc"])
            #expect(try bench.scan(IndexKey.field("b", of: "Ab"), in: zone) == ["Ab.b"])
            #expect(try bench.scan(IndexKey.value(.string("b"), of: "b", "A"), in: zone) == ["A.b"])
            #expect(try bench.scan(IndexKey.field("c", of: "A"), in: zone).isEmpty)
        },
        ConformanceCheck("a range that is empty, or ends before it begins, has nothing") {
            bench throws in
            let zone = try bench.zone()
            try bench.save("r", bench.entry(indexes: [[5]]), in: zone)
            for (lower, upper) in [([5], [5]), ([6], [4]), ([], []), ([6], [7])]
                as [([UInt8], [UInt8])]
            {
                let range = IndexRange(lower, upTo: upper)
                #expect(try bench.scan(range, in: zone).isEmpty)
                #expect(try bench.scan(range.reversed, in: zone).isEmpty)
            }
        },
    ]

    private static func marks(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        for number in 1...5 as ClosedRange<UInt8> {
            try bench.save(
                "r\(number)", bench.entry(indexes: [[number * 10, 0] + "r\(number)".utf8]), in: zone
            )
        }
        let range = IndexRange([20], upTo: [50])
        let backend = bench.backend
        func page(_ range: IndexRange, after mark: [UInt8]) throws -> [String] {
            try backend.scan(range, in: zone, after: mark, limit: 9).names
        }
        #expect(try page(range, after: []) == ["r2", "r3", "r4"])
        #expect(try page(range, after: [5]) == ["r2", "r3", "r4"])
        #expect(try page(range, after: [25]) == ["r3", "r4"])
        #expect(try page(range, after: [30, 0] + "r3".utf8) == ["r4"])
        #expect(try page(range, after: [30, 0] + "r".utf8) == ["r3", "r4"])
        #expect(try page(range, after: [49]).isEmpty)
        #expect(try page(range, after: [50]).isEmpty)
        #expect(try page(range, after: [200]).isEmpty)
        #expect(try page(range.reversed, after: [200]) == ["r4", "r3", "r2"])
        #expect(try page(range.reversed, after: [50]) == ["r4", "r3", "r2"])
        #expect(try page(range.reversed, after: [30, 0] + "r3".utf8) == ["r2"])
        #expect(try page(range.reversed, after: [20]).isEmpty)
        #expect(try page(range.reversed, after: [1]).isEmpty)
        #expect(try page(range.reversed, after: []).isEmpty)
    }

    static let orders = [
        order(
            "texts",
            [
                "", "\0", "\0\0", "\0a", "A", "a", "a\0", "a\0b", "a ", "ab", "b", "\u{e4}",
                "\u{1F600}",
            ].map { .string($0) }),
        order(
            "numbers",
            [.min, .min + 1, -1 << 32, -256, -255, -1, 0, 1, 255, 256, 65_535, 1 << 32, .max].map {
                .int64($0)
            }),
        order("times", [.min, -1, 0, 1, 1_700_000_000_000, .max].map { .timestamp($0) }),
        order(
            "floats",
            [
                -.infinity, -.greatestFiniteMagnitude, -2, -1.5, -.leastNormalMagnitude,
                -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.1, 1, 256, 1e300, .infinity,
            ].map { .double($0) }),
        order(
            "bytes",
            ([
                [], [0], [0, 0], [0, 1], [0, 255], [1], [1, 0], [1, 0, 0], [1, 0, 1], [1, 1], [254],
                [255], [255, 0], [255, 255],
            ] as [[UInt8]])
            .map { .bytes($0) }),
        order(
            "references",
            ["A", "a", "a!", "aa", "b"].map { name in
                .reference(
                    RecordReference(RecordIdentifier(name, in: ZoneIdentifier("zone", owner: nil))))
            }),
        ConformanceCheck("zeros of either sign have one place") { bench throws in
            #expect(IndexKey.ordered(.double(-0.0)) == IndexKey.ordered(.double(0)))
        },
        ConformanceCheck("long values are cut, and found by what is left of them", longValues),
    ]

    /// Checks that an index keeps the order of these values, and finds each on its own.
    private static func order(_ what: String, _ values: [RecordValue]) -> ConformanceCheck {
        ConformanceCheck("\(what) have their order in an index, and are found alone") {
            bench throws in
            let zone = try bench.zone()
            // Give the records names in the opposite order, and save two with each value.
            var names: [String] = []
            for (number, value) in values.enumerated() {
                for half in ["x", "y"] {
                    let name = "n\(99 - number)\(half)"
                    names.append(name)
                    try bench.save(name, bench.entry(value, name: name), in: zone)
                }
            }
            let range = IndexKey.field("field", of: "Note")
            #expect(try bench.scan(range, in: zone) == names)
            #expect(try bench.scan(range.reversed, in: zone, limit: 2) == names.reversed())
            for (number, value) in values.enumerated() {
                let own = Array(names[(2 * number)...].prefix(2))
                let one = IndexKey.value(value, of: "field", "Note")
                #expect(try bench.scan(one, in: zone) == own)
                #expect(try bench.scan(one.reversed, in: zone, limit: 1) == own.reversed())
                let above = IndexRange(one.upper, upTo: range.upper)
                #expect(try bench.scan(above, in: zone) == Array(names[(2 * number + 2)...]))
                let below = IndexRange(range.lower, upTo: one.lower)
                #expect(try bench.scan(below, in: zone) == Array(names[..<(2 * number)]))
            }
        }
    }

    private static func longValues(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        let limit = IndexKey.valueByteLimit
        let whole = String(repeating: "x", count: limit)
        for (name, text) in [("short", String(whole.dropLast())), ("b", whole), ("a", whole + "y")]
        {
            try bench.save(name, bench.entry(.string(text), name: name), in: zone)
        }
        let zeros = [UInt8](repeating: 0, count: limit + 50)
        try bench.save("zeros", bench.entry(.bytes(zeros), of: "bytes", name: "zeros"), in: zone)
        #expect(
            try bench.scan(IndexKey.field("field", of: "Note"), in: zone) == ["short", "a", "b"])
        for text in [whole, whole + "z"] {
            let range = IndexKey.value(.string(text), of: "field", "Note")
            #expect(try bench.scan(range, in: zone) == ["a", "b"])
        }
        let range = IndexKey.value(.bytes(zeros + [7]), of: "bytes", "Note")
        #expect(try bench.scan(range, in: zone) == ["zeros"])
    }
}
