import Bulla
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A backup` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
    }

    /// Changes some entries, removes others, and sometimes changes a large value or a tree.
    private func change(_ store: Store, _ random: inout TestRandom) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t\(random.below(3))")
            for _ in 0..<20 {
                let key = "key \(random.below(400))"
                if random.isOne(in: 4) {
                    try change.delete(key, in: tree)
                } else {
                    let count = random.isOne(in: 20) ? 20_000 : random.below(300)
                    try change.put(random.bytes(count), forKey: key, in: tree)
                }
            }
            if random.isOne(in: 50) { try change.dropTree(named: "t\(random.below(3))") }
        }
    }

    private func contents(_ name: String, _ kind: StoreKind) throws -> StoreContents {
        try StoreContents(of: scratch.path(name), kind)
    }

    @Test(arguments: StoreKind.allCases)
    func `and the incremental ones since restore to what the store was at each`(
        kind: StoreKind
    ) throws {
        var random = TestRandom(seed: 7)
        let store = try open(kind)
        var names: [String] = []
        var reports: [BackupReport] = []
        var expected: [StoreContents] = []
        var last: Anchor?
        for round in 0..<TestMode.pick(short: 4, long: 6) {
            for _ in 0..<TestMode.pick(short: 60, long: 1000) { try change(store, &random) }
            let name = scratch.path("backup \(round)")
            let report = try store.backup(to: name, since: last)
            #expect(report.since == last)
            #expect(try report.commit == store.anchor.commit)
            #expect(try report.anchor == store.anchor)
            last = report.anchor
            names.append(name)
            reports.append(report)
            expected.append(try StoreContents(of: store))
        }
        try store.close()
        for count in 1...names.count {
            let target = scratch.path("restored \(count)")
            let report = try Store.restore(
                from: Array(names.prefix(count)), to: target, key: try kind.key())
            #expect(report.commit == reports[count - 1].commit)
            #expect(report.pageCount == reports.prefix(count).reduce(0) { $0 + $1.pageCount })
            #expect(try contents("restored \(count)", kind) == expected[count - 1])
            #expect(try Store.check(at: target, key: kind.key()).isSound)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `restores to a store that goes on, with a history of its own`(kind: StoreKind) throws {
        var random = TestRandom(seed: 8)
        let store = try open(kind)
        for _ in 0..<30 { try change(store, &random) }
        let before = try store.anchor
        _ = try store.backup(to: scratch.path("b"))
        try change(store, &random)
        let after = try store.anchor
        try store.close()
        let path = scratch.path("r.bulla")
        let report = try Store.restore(
            from: [scratch.path("b")], to: path, key: try kind.key())
        #expect(report.hasOwnKeys == (kind != .plain))
        let restored = try Store.open(at: path, key: try kind.key(), notOlderThan: before)
        for _ in 0..<30 { try change(restored, &random) }
        #expect(try restored.check().isSound)
        // Everything after the backup is lost, however many commits follow.
        #expect(
            refusal { _ = try Store.open(at: path, key: try kind.key(), notOlderThan: after) }?.code
                == .rolledBack)
        try restored.close()
    }

    @Test func `that does not follow the one before it is refused, and nothing is made`() throws {
        var random = TestRandom(seed: 9)
        let store = try open(.gcm)
        var anchors: [Anchor] = []
        for round in 0..<3 {
            try change(store, &random)
            let since = anchors.last
            let report = try store.backup(to: scratch.path("b\(round)"), since: since)
            anchors.append(report.anchor)
        }
        try store.close()
        let names = try scratch.names()
        for order in [[], [1], [0, 2], [0, 0], [0, 1, 1], [1, 2]] {
            let error = refusal {
                try Store.restore(
                    from: order.map { scratch.path("b\($0)") }, to: scratch.path("r"),
                    key: try StoreKind.gcm.key())
            }
            #expect(error?.code == .invalidArgument, "\(order)")
            #expect(try scratch.names() == names, "\(order)")
        }
    }

    @Test func `of a commit to come, or over a file that is there, is refused`() throws {
        let store = try open(.gcm)
        let text = try store.anchor.description.split(separator: ":").dropLast()
        let toCome = try #require(Anchor(text.joined(separator: ":") + ":99"))
        #expect(
            refusal { _ = try store.backup(to: scratch.path("b"), since: toCome) }?.code
                == .invalidArgument)
        try scratch.write([1], to: "b")
        #expect(refusal { _ = try store.backup(to: scratch.path("b")) }?.code == .invalidArgument)
        #expect(try scratch.bytes("b") == [1])
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `since a moment that its history has not is refused when it is made`(
        kind: StoreKind
    ) throws {
        var random = TestRandom(seed: 12)
        let store = try open(kind)
        try change(store, &random)
        let early = try store.backup(to: scratch.path("early"))
        try change(store, &random)
        let whole = try store.backup(to: scratch.path("whole"))
        try store.close()
        try Store.restore(
            from: [scratch.path("early")], to: scratch.path("f.bulla"), key: try kind.key())
        let fork = try kind.open(scratch.path("f.bulla"))
        for _ in 0..<5 { try change(fork, &random) }
        let names = try scratch.names()
        // The fork has a commit with the number of the backup's commit, but it is a different
        // commit.
        #expect(try fork.info.commit > whole.commit)
        let error = refusal { _ = try fork.backup(to: scratch.path("x"), since: whole.anchor) }
        #expect(error?.code == .invalidArgument)
        #expect(error.says("make a whole backup"))
        #expect(error.says(scratch.path("f.bulla")))
        #expect(try scratch.names() == names)
        // A commit that the two have in common is accepted.
        let next = try fork.backup(to: scratch.path("next"), since: early.anchor)
        #expect(next.since == early.anchor)
        let expected = try StoreContents(of: fork)
        try fork.close()
        try Store.restore(
            from: [scratch.path("early"), scratch.path("next")], to: scratch.path("r"),
            key: try kind.key())
        #expect(try contents("r", kind) == expected)
    }

    @Test func `of another store is refused as the one to add to`() throws {
        let (store, other) = (try open(.gcm), try StoreKind.gcm.open(scratch.path("o.bulla")))
        let anchor = try other.anchor
        let error = refusal { _ = try store.backup(to: scratch.path("b"), since: anchor) }
        #expect(error?.code == .invalidArgument)
        #expect(error.says("another store"))
        for store in [store, other] { try store.close() }
    }

    @Test func `whose head names another history is not put onto the one before`() throws {
        var random = TestRandom(seed: 13)
        let store = try open(.gcm)
        try change(store, &random)
        let whole = try store.backup(to: scratch.path("b0"))
        try change(store, &random)
        _ = try store.backup(to: scratch.path("b1"), since: whole.anchor)
        try store.close()
        // The head holds five words (magic, version, page size, commit, number of pages), and then
        // the history.
        try scratch.overwrite("b1", with: [1, 2, 3], at: 40)
        let backups = ["b0", "b1"].map { scratch.path($0) }
        let key = try StoreKind.gcm.key()
        let error = refusal {
            try Store.restore(from: backups, to: scratch.path("r"), key: key)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error.says("another history"))
        // The error names the file as the caller did.
        #expect(error.says(scratch.path("b1")))
    }

    @Test func `is reported in a form that is read back`() throws {
        let store = try open(.gcm)
        let first = try store.backup(to: scratch.path("b0"))
        let second = try store.backup(to: scratch.path("b1"), since: first.anchor)
        try store.close()
        let read = try JSONDecoder().decode(
            BackupReport.self, from: try JSONEncoder().encode(second))
        #expect(read.anchor == second.anchor)
        #expect(read.since == first.anchor)
        #expect(read.commit == second.anchor.commit)
        let text = Data("\"bulla-anchor:1:x\"".utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Anchor.self, from: text)
        }
    }

    @Test func `that cannot be restored names the store to be, not what it was built under`()
        throws
    {
        let store = try open(.gcm)
        _ = try store.backup(to: scratch.path("b"))
        try store.close()
        let error = refusal {
            try Store.restore(from: [scratch.path("b")], to: scratch.path("r"))
        }
        #expect(error?.code == .encrypted)
        #expect(error.says("\(scratch.path("r")):"))
        #expect(!error.says(".part-"))
    }

    @Test(arguments: StoreKind.allCases)
    func `that was changed or cut is refused, or restores to the same`(kind: StoreKind) throws {
        var random = TestRandom(seed: 10)
        let store = try open(kind)
        for _ in 0..<10 { try change(store, &random) }
        _ = try store.backup(to: scratch.path("b"))
        try store.close()
        let (good, expected) = (try scratch.bytes("b"), try contents("s.bulla", kind))
        for round in 0..<TestMode.pick(short: 60, long: 2000) {
            var bytes = good
            if round % 4 == 0 {
                bytes.removeLast(1 + random.below(bytes.count))
            } else {
                let limit = round % 2 == 0 ? 80_000 : bytes.count
                bytes[random.below(min(limit, bytes.count))] ^= UInt8(1 + random.below(255))
            }
            try scratch.write(bytes, to: "bad")
            let error = refusal {
                try Store.restore(
                    from: [scratch.path("bad")], to: scratch.path("r"), key: try kind.key())
            }
            if error == nil {
                #expect(try contents("r", kind) == expected, "round \(round)")
                try scratch.remove("r")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `made while writers go on is of one commit`(kind: StoreKind) async throws {
        let store = try open(kind)
        // All entries that one commit writes hold the same number.
        @Sendable func stamp(_ number: Int, _ durability: Durability) throws {
            try store.write(durability: durability) { change in
                let tree = try change.openOrCreateTree(named: "t")
                for key in 0..<200 { try change.put("\(number)", forKey: "key \(key)", in: tree) }
            }
        }
        try stamp(0, .full)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...400 { try stamp(number, .relaxed(within: .milliseconds(5))) }
            }
            for round in 0..<8 {
                _ = try await store.backup(to: scratch.path("b\(round)"))
                await Task.yield()
            }
            try await group.waitForAll()
        }
        try await store.close()
        for round in 0..<8 {
            try await Store.restore(
                from: [scratch.path("b\(round)")], to: scratch.path("r\(round)"),
                key: try kind.key())
            let entries = try contents("r\(round)", kind).trees[Array("t".utf8)] ?? []
            #expect(entries.count == 200)
            #expect(Set(entries.map(\.value)).count == 1, "round \(round)")
        }
    }
}
