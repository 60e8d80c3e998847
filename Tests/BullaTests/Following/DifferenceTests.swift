import Bulla
import BullaTestSupport
import Testing

@Suite struct `What two snapshots differ in` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
            $0.checkpointsWhenIdle = false
        }
    }

    private typealias Entries = [[UInt8]: [UInt8]]

    /// Copies of the differences that two snapshots lend: for each, its key, older value and newer
    /// value.
    private func differences(
        _ newer: borrowing Snapshot, from older: borrowing Snapshot, _ range: KeyRange = .all
    ) throws -> [[[UInt8]?]] {
        var found: [[[UInt8]?]] = []
        try newer.forEachDifference(from: older, inTreeNamed: "t", range) { difference in
            let old = try difference.withOlderValue { [UInt8](copying: $0) }
            let new = try difference.withNewerValue { [UInt8](copying: $0) }
            #expect(difference.olderByteCount == old?.count)
            #expect(difference.newerByteCount == new?.count)
            #expect(
                difference.kind == (old == nil ? .added : new == nil ? .removed : .changed))
            found.append([difference.withKey { [UInt8](copying: $0) }, old, new])
            return .next
        }
        return found
    }

    private func expected(
        _ newer: Entries, from older: Entries, where isMeant: ([UInt8]) -> Bool
    ) -> [[[UInt8]?]] {
        Set(newer.keys).union(older.keys).filter { newer[$0] != older[$0] && isMeant($0) }
            .sorted { $0.lexicographicallyPrecedes($1) }.map { [$0, older[$0], newer[$0]] }
    }

    @Test(arguments: StoreKind.allCases, TestMode.seeds(TestMode.pick(short: 2, long: 20)))
    func `is what a comparison of all entries finds, with a log and without`(
        kind: StoreKind, seed: UInt64
    ) throws {
        let store = try open(kind)
        var random = TestRandom(seed: seed)
        var entries: Entries = [:]
        var older = try store.makeSnapshot()
        var former: Entries = [:]
        for round in 0..<TestMode.pick(short: 12, long: 60) {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                for _ in 0..<(round.isMultiple(of: 5) ? 500 : 20) {
                    let key = Array("key \(random.below(400))".utf8)
                    let byteCount = random.isOne(in: 10) ? random.below(40_000) : 20
                    let value: [UInt8]? =
                        random.isOne(in: 4)
                        ? nil
                        : random.isOne(in: 3) ? entries[key] : random.bytes(byteCount)
                    entries[key] = value
                    guard let value else {
                        try change.delete(key, in: tree)
                        continue
                    }
                    try change.put(value, forKey: key, in: tree)
                }
            }
            if random.isOne(in: 2) { try store.takeOverLog() }
            let newer = try store.makeSnapshot()
            let all = expected(entries, from: former) { _ in true }
            #expect(try differences(newer, from: older) == all)
            #expect(
                try differences(older, from: newer) == all.map { [$0[0], $0[2], $0[1]] })
            let (lower, upper) = (Array("key 2".utf8), Array("key 31".utf8))
            let part = expected(entries, from: former) {
                !$0.lexicographicallyPrecedes(lower) && $0.lexicographicallyPrecedes(upper)
            }
            #expect(
                try differences(newer, from: older, .from(lower, upTo: upper)) == part)
            #expect(try differences(newer, from: newer) == [])
            if random.isOne(in: 2) {
                older = newer
                former = entries
            }
        }
        _ = consume older
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `is found in values of any length, which are lent in parts`(kind: StoreKind) throws {
        let store = try open(kind)
        // So many parts that the value is too long to be lent as a whole.
        let partCount = 80
        func put(_ key: String, last: UInt8) throws {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.putStream(forKey: key, in: tree) { write in
                    for number in 0..<partCount {
                        let byte = number == partCount - 1 ? last : UInt8(number)
                        try [UInt8](repeating: byte, count: 256 << 10).withBytes { try write($0) }
                    }
                }
            }
        }
        for key in ["same", "again", "other"] { try put(key, last: 1) }
        let older = try store.makeSnapshot()
        // The value of `again` moves to other pages, with the same bytes in them.
        try put("again", last: 1)
        try put("other", last: 2)
        let newer = try store.makeSnapshot()
        var keys: [String] = []
        try newer.forEachDifference(from: older, inTreeNamed: "t") { difference in
            keys.append(difference.withKey { String(decoding: $0) })
            #expect(difference.newerByteCount == partCount * 256 << 10)
            let error = refusal { _ = try difference.withNewerValue { $0.byteCount } }
            #expect(error?.code == .valueTooLarge)
            var (counts, lasts): ([Int], [UInt8]) = ([0, 0], [0, 0])
            let areThere = [
                try difference.streamOlderValue {
                    counts[0] += $0.byteCount
                    lasts[0] = [UInt8](copying: $0).last ?? 0
                },
                try difference.streamNewerValue {
                    counts[1] += $0.byteCount
                    lasts[1] = [UInt8](copying: $0).last ?? 0
                },
            ]
            #expect(areThere == [true, true])
            #expect(counts == [partCount * 256 << 10, partCount * 256 << 10])
            #expect(lasts == [1, 2])
            return .next
        }
        #expect(keys == ["other"])
        _ = consume older
        _ = consume newer
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `is all of a tree that one of them does not have`(kind: StoreKind) throws {
        let store = try open(kind)
        let empty = try store.makeSnapshot()
        try store.commit(["a": "1", "b": "2"])
        let full = try store.makeSnapshot()
        let (a, b) = ([UInt8]("a".utf8), [UInt8]("b".utf8))
        let (one, two) = ([UInt8]("1".utf8), [UInt8]("2".utf8))
        #expect(try differences(full, from: empty) == [[a, nil, one], [b, nil, two]])
        #expect(try differences(empty, from: full) == [[a, one, nil], [b, two, nil]])
        #expect(try differences(empty, from: empty) == [])
        // Replace the tree by another one with the same name.
        try store.write { change in
            try change.dropTree(named: "t")
            let tree = try change.createTree(named: "t")
            try change.put("1", forKey: "a", in: tree)
            try change.put("3", forKey: "b", in: tree)
        }
        let other = try store.makeSnapshot()
        #expect(try differences(other, from: full) == [[b, two, [UInt8]("3".utf8)]])
        try store.close()
    }

    @Test func `is visited as far as is wanted, and errors come out as they are`() throws {
        let store = try open(.gcm)
        let older = try store.makeSnapshot()
        try store.commit(["a": "1", "b": "2", "c": "3"])
        let newer = try store.makeSnapshot()
        var keys: [String] = []
        try newer.forEachDifference(from: older, inTreeNamed: "t") { difference in
            keys.append(difference.withKey { String(decoding: $0) })
            return keys.count < 2 ? .next : .stop
        }
        #expect(keys == ["a", "b"])
        struct Own: Error {}
        #expect(throws: Own.self) {
            try newer.forEachDifference(from: older, inTreeNamed: "t") { _ in throw Own() }
        }
        try store.close()
        let error = refusal {
            try newer.forEachDifference(from: older, inTreeNamed: "t") { _ in .next }
        }
        #expect(error?.code == .closed)
    }
}
