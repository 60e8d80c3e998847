import BullaRecords
import BullaTestSupport
import Testing

extension ConformanceCheck {
    static let feeds = [
        ConformanceCheck("the feed has each record once, at its latest change") { bench throws in
            let zone = try bench.zone()
            for name in ["a", "b", "c", "a", "b", "d", "a"] { try bench.save(name, in: zone) }
            let feed = try bench.feed(of: zone)
            #expect(feed.map(\.name) == ["c", "b", "d", "a"])
            #expect(feed.map(\.record.version) == [3, 5, 6, 7])
            for (name, record) in feed { #expect(try bench.record(name, in: zone) == record) }
        },
        ConformanceCheck("the feed is read in pages of any length, and says whether there is more")
        {
            bench throws in
            let zone = try bench.zone()
            for number in 0..<7 { try bench.save("r\(number)", in: zone) }
            for limit in 1...9 {
                let page = try bench.backend.changes(in: zone, after: 0, limit: limit)
                #expect(page?.changes.count == min(limit, 7))
                #expect(page?.hasMore == (limit < 7))
                #expect(page?.headVersion == 7)
                #expect(
                    try bench.feed(of: zone, limit: limit).map(\.record.version) == Array(1...7))
            }
            for limit in [0, -1, .min] {
                let page = try bench.backend.changes(in: zone, after: 0, limit: limit)
                #expect(page?.changes.count == 1 && page?.hasMore == true)
            }
            #expect(try bench.backend.changes(in: zone, after: 0, limit: .max)?.changes.count == 7)
        },
        ConformanceCheck("nothing comes behind the newest change, or behind what never was") {
            bench throws in
            let zone = try bench.zone()
            for name in ["a", "b"] { try bench.save(name, in: zone) }
            for version in [2, 3, .max - 1, .max] as [UInt64] {
                let page = try bench.backend.changes(in: zone, after: version, limit: 9)
                #expect(
                    page == ChangePage([], headVersion: 2, forgottenVersion: 0, hasMore: false))
            }
        },
        ConformanceCheck("deletions stand in the feed, with type and time") { bench throws in
            let zone = try bench.zone()
            try bench.save("a", bench.entry("Song"), in: zone)
            try bench.save("b", in: zone)
            bench.time += 5
            try bench.delete("a", in: zone)
            let gone = StoredRecord(version: 3, .deleted(type: "Song", time: bench.time))
            #expect(try bench.feed(of: zone).last?.record == gone)
            #expect(try bench.record("a", in: zone) == gone)
            bench.time += 5
            try bench.delete("a", in: zone)
            #expect(
                try bench.feed(of: zone).last?.record
                    == StoredRecord(version: 4, .deleted(type: "Song", time: bench.time)))
            #expect(try bench.feed(of: zone).count == 2)
        },
        ConformanceCheck("a record that comes back is no deletion any more") { bench throws in
            let zone = try bench.zone()
            try bench.save("a", in: zone)
            try bench.delete("a", in: zone)
            try bench.save("a", in: zone)
            let feed = try bench.feed(of: zone)
            #expect(feed.map(\.record.version) == [3] && feed.first?.record.bytes != nil)
            try bench.backend.forgetDeletions(before: .max, in: zone)
            #expect(try bench.feed(of: zone).map(\.record) == feed.map(\.record))
            let page = try bench.backend.changes(in: zone, after: 0, limit: 1)
            #expect(page?.forgottenVersion == 0)
        },
        ConformanceCheck(
            "deletions are forgotten by their time, and up to which is told", forgetting),
        ConformanceCheck("zones have feeds of their own") { bench throws in
            let zones = try ["a", "b"].map { try bench.zone($0) }
            for number in 0..<6 { try bench.save("r\(number)", in: zones[number % 2]) }
            #expect(try bench.feed(of: zones[0]).map(\.name) == ["r0", "r2", "r4"])
            #expect(try bench.feed(of: zones[1]).map(\.record.version) == [1, 2, 3])
        },
        ConformanceCheck("a follower from any version comes to what the zone is", following),
    ]

    private static func forgetting(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        let start = bench.time
        for name in ["a", "b", "c", "d"] { try bench.save(name, in: zone) }
        for name in ["a", "b", "c"] {
            try bench.delete(name, in: zone)
            bench.time += 10
        }
        try bench.backend.forgetDeletions(before: start, in: zone)
        #expect(try bench.feed(of: zone).map(\.name) == ["d", "a", "b", "c"])
        try bench.backend.forgetDeletions(before: start + 11, in: zone)
        #expect(try bench.feed(of: zone).map(\.name) == ["d", "c"])
        let page = try bench.backend.changes(in: zone, after: 0, limit: 9)
        #expect(page?.forgottenVersion == 6 && page?.headVersion == 7)
        #expect(try bench.backend.records(["a", "b"], in: zone) == [nil, nil])
        #expect(try bench.record("c", in: zone) != nil)
        try bench.backend.forgetDeletions(before: start + 11, in: zone)
        let again = try bench.backend.changes(in: zone, after: 0, limit: 9)
        #expect(again == page)
        #expect(try bench.save("a", in: zone) == .committed(first: 8))
        try bench.backend.forgetDeletions(before: .max, in: zone)
        #expect(try bench.feed(of: zone).map(\.name) == ["d", "a"])
        let last = try bench.backend.changes(in: zone, after: 7, limit: 9)
        #expect(last?.forgottenVersion == 7 && last?.changes.map(\.name) == ["a"])
    }

    private static func following(_ bench: inout BackendBench) throws {
        let zone = try bench.zone()
        var copies: [(version: UInt64, records: [String: StoredRecord])] = []
        var copy: [String: StoredRecord] = [:]
        for step in 0..<60 {
            let name = "r\(bench.random.below(9))"
            if bench.random.isOne(in: 3) {
                try bench.delete(name, in: zone)
            } else {
                try bench.save(name, in: zone)
            }
            copy[name] = try bench.record(name, in: zone)
            copies.append((UInt64(step) + 1, copy))
        }
        for (version, records) in copies {
            var records = records
            for (name, record) in try bench.feed(of: zone, after: version, limit: 2) {
                records[name] = record
            }
            #expect(records == copy)
        }
    }
}
