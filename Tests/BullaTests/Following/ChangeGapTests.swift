import Bulla
import BullaTestSupport
import Testing

@Suite struct `A gap in the changes of a store` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
            $0.checkpointsWhenIdle = false
        }
    }

    /// Makes commits that need more room than the whole log has.
    private func overtake(_ store: Store) throws {
        let value = String(repeating: "v", count: 4000)
        for number in 0..<60 { try store.commit(["\(number)": value]) }
    }

    @Test(arguments: StoreKind.allCases)
    func `names both commits where the log was used again, and all is told behind it`(
        kind: StoreKind
    ) throws {
        let (writer, reader) = (try open(kind), try open(kind))
        let first = try writer.commit()
        let followers = try [writer.changes(), reader.changes()]
        try overtake(writer)
        let last = try writer.info.commit
        for follower in try followers + [reader.changes(since: first)] {
            let told = try follower.told()
            guard case .gap(first, let upTo)? = told.first else {
                Issue.record("told \(told.first.map { "\($0)" } ?? "nothing")")
                continue
            }
            #expect(upTo > first && upTo <= last)
            // After the gap come only commits, or nothing if a checkpoint has already reached the
            // last one.
            #expect(told.dropFirst().map(\.commit) == (first...last).filter { $0 > upTo })
            #expect(told.dropFirst().allSatisfy { !$0.isGap })
        }
        try writer.commit(["last": "1"])
        for follower in followers {
            #expect(try follower.told() == [.commit(last + 1, ["1 last=1"])])
        }
        for store in [reader, writer] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `stands for a commit that goes past the log, alone`(kind: StoreKind) throws {
        let (writer, reader) = (try open(kind), try open(kind))
        try writer.commit()
        let follower = try reader.changes()
        let before = try writer.commit(["a": "1"])
        try writer.write { change in
            try change.putNumbered(0..<1000, in: try change.createTree(named: "many"))
        }
        let after = try writer.commit(["b": "2"])
        #expect(after == before + 2)
        let expected: [Told] = [
            .commit(before, ["1 a=1"]), .gap(before, before + 1), .commit(after, ["1 b=2"]),
        ]
        #expect(try follower.told() == expected)
        #expect(try reader.changes(since: before).told() == Array(expected.dropFirst()))
        for store in [reader, writer] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `is none where the last close made a checkpoint of its own number`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try store.write { change in
            try change.put(
                [UInt8](repeating: 7, count: 16 << 20), forKey: "large",
                in: try change.createTree(named: "large"))
        }
        try store.write { try $0.dropTree(named: "large") }
        try store.commit(["a": "1"])
        let last = try store.commit(["a": "2"])
        try store.close()
        let again = try open(kind)
        let newest = try again.info.commit
        #expect(newest > last)
        #expect(try again.changes(since: last).told() == [])
        let next = try again.commit(["a": "3"], .relaxed(within: .seconds(3600)))
        #expect(next == newest + 1)
        let follower = try again.changes(since: last)
        #expect(try follower.told() == [])
        try again.waitUntilDurable(next)
        #expect(try follower.told() == [.commit(next, ["2 a=3"])])
        let told = try again.changes(since: last - 1).told()
        #expect(told == [.commit(last, ["2 a=2"]), .commit(next, ["2 a=3"])])
        try again.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `is closed by what two snapshots differ in`(kind: StoreKind) throws {
        let (writer, reader) = (try open(kind), try open(kind))
        try writer.commit(["kept": "1", "gone": "1", "5": "old"])
        let follower = try reader.changes()
        let older = try reader.makeSnapshot()
        try writer.write { try $0.delete("gone", in: try $0.tree(named: "t")) }
        try overtake(writer)
        let told = try follower.told()
        #expect(told.first?.isGap == true)
        let newer = try reader.makeSnapshot()
        #expect(newer.commit >= told.first?.commit ?? .max)
        var kinds: [String: EntryDifference.Kind] = [:]
        try newer.forEachDifference(from: older, inTreeNamed: "t") { difference in
            kinds[difference.withKey { String(decoding: $0) }] = difference.kind
            return .next
        }
        var expected = Dictionary(
            uniqueKeysWithValues: (0..<60).map { ("\($0)", EntryDifference.Kind.added) })
        expected["5"] = .changed
        expected["gone"] = .removed
        #expect(kinds == expected)
        for store in [reader, writer] { try store.close() }
    }
}
