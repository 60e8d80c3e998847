import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Random commits to the log of a store that is open twice, and checkpoints beside them, against
/// dictionaries.
struct StoreLogRun {
    private let scratch: Scratch
    private let kind: StoreKind
    private var stores: [Store] = []
    private var random: TestRandom
    private var content = LogModel()
    private var newest: UInt64 = 1
    private var nextTree: UInt64 = 1
    private var copyCount = 0

    private static let halfByteCount: UInt64 = 48 << 10

    init(_ scratch: Scratch, _ kind: StoreKind, seed: UInt64) throws {
        self.scratch = scratch
        self.kind = kind
        random = TestRandom(seed: seed)
        stores = try (0..<2).map { _ in try open("store") }
    }

    private func open(_ name: String) throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.logHalfByteCount = Self.halfByteCount
        }
    }

    private func member(_ store: Store) throws -> LogMember {
        let log = try #require(store.log)
        return LogMember(log.shared, log.memtables)
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            let store = random.pick(stores)
            switch random.below(40) {
            case 0, 1: try store.checkpoint()
            case 2: try reopen()
            case 3: try crash()
            case 4...7: try compare(store)
            default: try commit(store)
            }
        }
        try reopen()
        for store in stores { try store.close() }
    }

    private mutating func commit(_ store: Store) throws {
        let former = random
        do { try commitOnce(store) } catch let error as BullaError where error.code == .full {
            // The same again, when the trees have taken over what is there.
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
        (self.content, self.random, nextTree) = (content, random, next)
        newest += 1
        #expect(end.commit == newest)
        if random.isOne(in: 3) { try member(store).log.awaitDurable(newest) }
    }

    // MARK: Looking

    /// Compares what the log says above the trees of the newest checkpoint with what was committed.
    private func compare(_ store: Store) throws {
        let member = try member(store)
        try member.log.follow()
        let base = try LogModel(store)
        let view = try member.view()
        let (commit, pair) = (view.commit, view.pair)
        #expect(commit == newest)
        #expect(base.under(pair) == content)
    }

    /// Closes the store, which leaves the log empty, and opens it again.
    private mutating func reopen() throws {
        for store in stores { try store.close() }
        stores = try (0..<2).map { _ in try open("store") }
        for store in stores {
            #expect(try LogModel(store) == content)
            #expect(try store.check().isSound)
            #expect(try !store.checkpoint())
        }
    }

    /// Opens a copy of the file as it stands: as after a crash of the processes.
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
