import Bulla
import BullaMemory
import BullaTestSupport
import Synchronization
import Testing

@Suite(.serialized) struct `A snapshot of a store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind = .gcm, halfByteCount: UInt64 = 64 << 10,
        lockTimeout: Duration = TestMode.patience
    ) throws -> Store {
        try kind.open(scratch.path("store"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: halfByteCount)
            $0.lockTimeout = lockTimeout
        }
    }

    private func member(_ store: Store) throws -> LogMember {
        let log = try #require(store.core.log.current)
        return LogMember(log.shared, log.memtables)
    }

    /// Commits a new tree.
    private func create(_ name: String, _ number: UInt64, _ member: LogMember) throws {
        _ = try member.commit { edit, turn in
            try Array(name.utf8).withView { name in
                try edit.apply(.createTree(number, name: name), &turn)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `sees what is durable, or the newest commit`(kind: StoreKind) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        let writer = try member(stores[0])
        try create("t", 1, writer)
        try writer.log.awaitDurable(try writer.put([1], forKey: [9], in: 1))
        try writer.put([2], forKey: [9], in: 1)
        for store in stores {
            for (visibility, commit) in [(SnapshotVisibility.durable, 3), (.published, 4)] {
                let snapshot = try store.makeSnapshot(visibility: visibility)
                let seen = snapshot.commit
                let value = try snapshot.value(forKey: [9], in: try snapshot.tree(named: "t"))
                #expect(seen == UInt64(commit) && value == [UInt8(commit - 2)])
            }
        }
        for store in stores { try store.close() }
    }

    @Test func `refuses a tree of another commit, and of the same one over another checkpoint`()
        throws
    {
        let store = try open()
        let writer = try member(store)
        try create("t", 1, writer)
        try writer.log.awaitDurable(try writer.put([1], forKey: [9], in: 1))
        let first = try store.makeSnapshot()
        let tree = try first.tree(named: "t")
        let same = try store.makeSnapshot()
        #expect(try same.value(forKey: [9], in: tree) == [1])
        try writer.log.awaitDurable(try writer.put([2], forKey: [9], in: 1))
        let later = try store.makeSnapshot()
        let laterTree = try later.tree(named: "t")
        try store.checkpoint()
        let above = try store.makeSnapshot()
        let commits = (later.commit, above.commit)
        #expect(commits == (4, 4))
        var error = #expect(throws: BullaError.self) {
            try later.value(forKey: [9], in: tree)
        }
        #expect(error?.code == .invalidArgument)
        error = #expect(throws: BullaError.self) { try above.contains([9], in: laterTree) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("over checkpoint 1") == true)
        #expect(error?.message.contains("over checkpoint 4") == true)
        #expect(try later.value(forKey: [9], in: laterTree) == [2])
        #expect(try above.value(forKey: [9], in: try above.tree(named: "t")) == [2])
        #expect(try first.value(forKey: [9], in: tree) == [1])
    }

    /// Here, what the process has read of the log always begins after the newest checkpoint.
    @Test func `is refused, and not tried for ever, where no checkpoint fits the log`() throws {
        let store = try open(lockTimeout: .milliseconds(20))
        let writer = try member(store)
        try create("t", 1, writer)
        let end = try writer.commit { edit, turn in
            try [9].withView { try edit.apply(.delete(tree: 1, key: $0), &turn) }
        }
        try writer.log.awaitDurable(end.commit)
        try writer.memtables.begin(at: end)
        for visibility in [SnapshotVisibility.durable, .published] {
            let error = #expect(throws: BullaError.self) {
                _ = try store.makeSnapshot(visibility: visibility)
            }
            #expect(error?.code == .busy)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is copied with what the log says`(kind: StoreKind) throws {
        let store = try open(kind)
        var (content, next, random) = (LogModel(), UInt64(1), TestRandom(seed: 7))
        for round in 0..<6 {
            let end = try member(store).commit { edit, turn in
                for _ in 0..<30 { try content.change(&edit, &turn, &next, &random) }
            }
            try member(store).log.awaitDurable(end.commit)
            if round == 2 { try store.checkpoint() }
        }
        #expect(try LogModel(store) == content)
        try store.compact(to: scratch.path("copy"), key: kind.key())
        let copy = try kind.open(scratch.path("copy"))
        #expect(try LogModel(copy) == content)
        #expect(try copy.check().isSound)
        try copy.write { change in
            let tree = try change.createTree(named: "another")
            #expect(tree.number >= Int(next))
        }
        try copy.close()
        try store.close()
    }

    /// Each commit gives every key of a tree the same value, from which the commit's number
    /// follows.
    @Test(arguments: StoreKind.allCases)
    func `is whole, and no older than it must be, while others commit and checkpoint`(
        kind: StoreKind
    ) throws {
        let stores = try (0..<2).map { _ in try open(kind, halfByteCount: 48 << 10) }
        try create("t", 1, try member(stores[0]))
        let done = Flag()
        let rounds = TestMode.pick(short: 250, long: 5000)
        try Crew.run(5) { index in
            let store = stores[index % 2]
            switch index {
            case 0:
                defer { done.raise() }
                try commit(store, rounds: rounds)
            case 1:
                repeat { _ = try store.checkpoint() } while !done.isRaised
            default:
                let visibility = index == 2 ? SnapshotVisibility.published : .durable
                repeat { try look(store, visibility) } while !done.isRaised
            }
        }
        for store in stores { try store.close() }
    }

    private static let keyCount = 40

    private func commit(_ store: Store, rounds: Int) throws {
        let member = try member(store)
        var round = 0
        while round < rounds {
            do {
                let value = UInt64(round).bytes
                let end = try member.commit { edit, turn in
                    for key in 0..<Self.keyCount {
                        try UInt64(key).bytes.withView { key in
                            try value.withView { value in
                                try edit.apply(.put(tree: 1, key: key, value: value), &turn)
                            }
                        }
                    }
                }
                if round % 3 == 0 { try member.log.awaitDurable(end.commit) }
                round += 1
            } catch let error as BullaError where error.code == .full {
                try store.checkpoint()
            }
        }
    }

    private func look(_ store: Store, _ visibility: SnapshotVisibility) throws {
        let durable = try member(store).log.durableCommit()
        let snapshot = try store.makeSnapshot(visibility: visibility)
        let commit = snapshot.commit
        #expect(commit >= durable)
        guard commit > 2 else { return }
        let tree = try snapshot.tree(named: "t")
        // Commit 1 was empty, commit 2 made the tree, and commit 3 put the value 0.
        let value = (commit - 3).bytes
        var count = 0
        try snapshot.scan(tree, order: commit % 2 == 0 ? .ascending : .descending) { _, found in
            let isRight = found.equals(value)
            #expect(isRight)
            count += 1
            return .next
        }
        #expect(count == Self.keyCount)
        #expect(try snapshot.value(forKey: UInt64(commit % 40).bytes, in: tree) == value)
        #expect(try snapshot.count(of: tree) == Self.keyCount)
    }
}
