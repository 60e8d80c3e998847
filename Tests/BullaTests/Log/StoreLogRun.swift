import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Random commits to the log of a store that is open twice, with checkpoints and snapshots
/// meanwhile, compared with dictionaries.
struct StoreLogRun {
    private let scratch: Scratch
    private let kind: StoreKind
    private var stores: [Store] = []
    private var random: TestRandom
    /// The content after each commit.
    private var history: [UInt64: LogModel] = [1: LogModel()]
    private var newest: UInt64 = 1
    private var held: [LogSnapshot] = []
    private var nextTree: UInt64 = 1
    private var copyCount = 0

    private static let halfByteCount: UInt64 = 48 << 10

    init(_ scratch: Scratch, _ kind: StoreKind, seed: UInt64) throws {
        self.scratch = scratch
        self.kind = kind
        random = TestRandom(seed: seed)
        stores = try (0..<2).map { _ in try open("store") }
    }

    private var content: LogModel { history[newest] ?? LogModel() }

    private func open(_ name: String) throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: Self.halfByteCount)
        }
    }

    private func member(_ store: Store) throws -> LogMember {
        let log = try #require(store.core.log.current)
        return LogMember(log.shared, log.memtables)
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            let store = random.pick(stores)
            switch random.below(40) {
            case 0, 1: try store.checkpoint()
            case 2: try reopen()
            case 3: try crash()
            case 4, 5: try compare(store)
            case 6...9: try takeSnapshot(store)
            case 10, 11: try lookAgain()
            default: try commit(store)
            }
        }
        try reopen()
        for store in stores { try store.close() }
    }

    private mutating func commit(_ store: Store) throws {
        let former = random
        do { try commitOnce(store) } catch let error as BullaError where error.code == .full {
            // Try the same commit again after the trees have taken everything over.
            #expect(try store.checkpoint())
            random = former
            try commitOnce(store)
        }
    }

    private mutating func commitOnce(_ store: Store) throws {
        var (content, random, next) = (content, random, nextTree)
        let count = 1 + random.below(random.isOne(in: 8) ? 60 : 4)
        let end = try member(store).commit { edit, turn in
            for _ in 0..<count { try content.change(&edit, &turn, &next, &random) }
        }
        (self.random, nextTree) = (random, next)
        newest += 1
        history[newest] = content
        #expect(end.commit == newest)
        if random.isOne(in: 3) { try member(store).log.awaitDurable(newest) }
    }

    // MARK: Looking

    /// Compares the log's changes above the trees of the newest checkpoint with what was committed.
    private func compare(_ store: Store) throws {
        let member = try member(store)
        try member.log.follow()
        let base = try LogModel(store)
        let view = try member.view()
        let (commit, pair) = (view.commit, view.pair)
        #expect(commit == newest)
        #expect(base.under(pair) == content)
    }

    /// Compares a new snapshot with what was committed when it was made, and keeps holding it.
    private mutating func takeSnapshot(_ store: Store) throws {
        let visibility = random.pick([SnapshotVisibility.durable, .published])
        let durable = try member(store).log.durableCommit()
        let snapshot = try store.makeSnapshot(visibility: visibility)
        let commit = snapshot.commit
        #expect(commit >= durable && commit <= newest)
        #expect(visibility == .durable || commit == newest)
        let content = try #require(history[commit])
        let holder = LogSnapshot(snapshot, content)
        try holder.check(seed: random.next())
        if held.count < 6 || random.isOne(in: 2) { held.append(holder) }
    }

    /// Checks a snapshot that is held, whatever was committed since, and sometimes releases one.
    private mutating func lookAgain() throws {
        guard !held.isEmpty else { return }
        try random.pick(held).check(seed: random.next())
        if random.isOne(in: 3) { held.remove(at: random.below(held.count)) }
    }

    /// Closes the store, which leaves the log empty, and opens it again.
    private mutating func reopen() throws {
        for store in stores { try store.close() }
        for holder in held { try holder.checkClosed() }
        held = []
        stores = try (0..<2).map { _ in try open("store") }
        for store in stores {
            #expect(try LogModel(store) == content)
            #expect(try store.check().isSound)
            #expect(try !store.checkpoint())
        }
    }

    /// Opens a copy of the present file, as after a crash of the processes.
    private mutating func crash() throws {
        copyCount += 1
        let name = "copy \(copyCount)"
        try scratch.copy("store", to: name)
        let copy = try open(name)
        try compare(copy)
        #expect(try copy.check().isSound)
        try copy.close()
        let again = try open(name)
        #expect(try LogModel(again) == content)
        try again.close()
    }
}
