import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Random commits by two processes, with checkpoints in between, compared with dictionaries.
///
/// A separate store holds the trees beneath the log.
struct LogMemtablesRun {
    private let scratch: Scratch
    private let site: LogSite
    private let storage = SystemStorage()
    private let start = StandingStart()
    private let store: Store
    private var members: [LogMember] = []
    private var random: TestRandom
    /// The content after each commit since the last checkpoint, and the log's end after that
    /// commit.
    private var history: [UInt64: (content: LogModel, end: LogPosition)] = [:]
    private var newest = LogSite.beginning.commit
    private var nextTree: UInt64 = 1

    private static let halfPageCount: UInt64 = 12

    init(_ scratch: Scratch, _ kind: StoreKind, seed: UInt64) throws {
        self.scratch = scratch
        random = TestRandom(seed: seed)
        site = try LogSite(scratch.path("log"), kind, halfPageCount: Self.halfPageCount)
        try site.make(storage)
        store = try kind.open(scratch.path("base.bulla"))
        history[newest] = (LogModel(), LogSite.beginning)
        members = try (0..<2).map { _ in try join() }
    }

    private func join() throws -> LogMember {
        try LogMember(site, storage, start)
    }

    private var content: LogModel { history[newest]?.content ?? LogModel() }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            switch random.below(20) {
            case 0: try checkpoint(at: random.isOne(in: 2) ? newest : anyCommit())
            case 1: members[1] = try join()
            case 2: for member in members { member.memtables.settle(try anyCommit()) }
            case 3...5: try compare(members[random.below(2)])
            default: try commit(members[random.below(2)])
            }
        }
        try compare(members[0])
        try compare(members[1])
        try checkpoint(at: newest)
        try store.close()
    }

    private mutating func anyCommit() throws -> UInt64 {
        random.pick(history.keys.sorted())
    }

    private mutating func commit(_ member: LogMember) throws {
        let former = random
        do { try commitOnce(member) } catch let error as BullaError where error.code == .full {
            // Try the same commit again after the trees have taken everything over.
            try checkpoint(at: newest)
            random = former
            try commitOnce(member)
        }
    }

    private mutating func commitOnce(_ member: LogMember) throws {
        var (content, random, next) = (content, random, nextTree)
        let count = 1 + random.below(random.isOne(in: 8) ? 60 : 4)
        let end = try member.commit { edit, turn in
            let known = edit.nextTree
            #expect(known <= next)
            for _ in 0..<count { try content.change(&edit, &turn, &next, &random) }
        }
        self.random = random
        nextTree = next
        newest += 1
        #expect(end.commit == newest)
        history[newest] = (content, end)
    }

    // MARK: Looking

    /// Compares what a process sees with what was committed, now and at an earlier commit.
    private mutating func compare(_ member: LogMember) throws {
        try member.log.follow()
        let view = try member.view()
        let seen = view.commit
        #expect(seen == newest)
        try compare(view, content)
        let commit = try anyCommit()
        guard let older = try member.memtables.hold(at: commit) else { return }
        let known = try #require(history[older.commit]?.content)
        try compare(older, known)
    }

    private func compare(_ view: borrowing LogView, _ content: LogModel) throws {
        let base = try #require(history[start.position.commit]?.content)
        let (origin, commit, pair) = (view.origin, view.commit, view.pair)
        #expect(origin <= start.position.commit)
        #expect(base.under(pair) == content, "after commit \(commit)")
    }

    /// Has the trees take over the changes up to a commit.
    private mutating func checkpoint(at commit: UInt64) throws {
        let (member, (known, end)) = (members[0], try #require(history[commit]))
        try member.log.follow()
        try member.log.awaitDurable(commit)
        guard let view = try member.memtables.hold(at: commit) else { return }
        try store.write { try $0.merge(view.pair, nextTree: view.nextTree) }
        start.position = end
        history = history.filter { $0.key >= commit }
        for member in members { member.memtables.forget(upTo: end) }
        try compareTrees(known)
    }

    private func compareTrees(_ content: LogModel) throws {
        #expect(try store.check().isSound)
        let found = try LogModel(store)
        #expect(found == content)
    }
}
