import Bulla
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A follower of changes` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        arguments: StoreKind.allCases, TestMode.seeds(TestMode.pick(short: 2, long: 20)))
    func `has at every moment what a snapshot has`(kind: StoreKind, seed: UInt64) throws {
        for isGrowing in [false, true] {
            var run = try ChangeRun(
                scratch.path("s \(isGrowing)"), kind, isGrowing: isGrowing, seed: seed)
            try run.run(steps: TestMode.pick(short: 250, long: 3000))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `beside writers is told each commit once, in its order, or of a gap`(
        kind: StoreKind
    ) throws {
        let stores = try (0..<3).map { _ in
            try kind.open(scratch.path("s"), pageByteCount: 4096) {
                $0.fixLog(halfByteCount: 64 << 10)
            }
        }
        let first = try stores[0].commit(["n": "0"])
        let follower = try stores[2].changes()
        let done = Flag()
        Thread.detachNewThread {
            try? Crew.run(2) { index in
                for _ in 0..<TestMode.pick(short: 300, long: 5000) {
                    try stores[index].write { try Self.count(&$0) }
                }
            }
            done.raise()
        }
        var told = first
        while true {
            let isDone = done.isRaised
            guard let event = try follower.next(waitingAtMost: .milliseconds(10)) else {
                guard !isDone else { break }
                continue
            }
            switch event {
            case .commit(let changes):
                #expect(changes.commit == told + 1)
                told = changes.commit
                var numbers: [UInt64?] = []
                for case .put(_, _, let value) in changes {
                    numbers.append(UInt64(value.text.trimmingCharacters(in: .whitespaces)))
                }
                #expect(numbers == [told - first])
            case .gap(let after, let upTo):
                #expect(after == told && upTo > after)
                told = upTo
            }
        }
        #expect(told == first + UInt64(TestMode.pick(short: 600, long: 10_000)))
        for store in stores { try store.close() }
    }

    /// Increments a number, which is stored with padding.
    private static func count(_ change: inout WriteTransaction) throws {
        let tree = try change.tree(named: "t")
        let former = try change.value(forKey: "n", in: tree) ?? []
        let text = String(decoding: former, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        let next = "\((Int(text) ?? -1) + 1)"
        try change.put(
            next + String(repeating: " ", count: 500 - next.count), forKey: "n", in: tree)
    }
}

/// Two handles that change a store at random, each with a follower that keeps a copy of it.
private struct ChangeRun {
    private let path: String
    private let kind: StoreKind
    private let isGrowing: Bool
    private var random: TestRandom
    private var stores: [Store]
    private var copies: [FollowedCopy]
    private var (gapCount, commitCount) = (0, 0)

    init(_ path: String, _ kind: StoreKind, isGrowing: Bool, seed: UInt64) throws {
        (self.path, self.kind, self.isGrowing) = (path, kind, isGrowing)
        random = TestRandom(seed: seed)
        stores = try (0..<2).map { _ in try Self.open(path, kind, isGrowing) }
        copies = try stores.map { try FollowedCopy($0) }
    }

    private static func open(_ path: String, _ kind: StoreKind, _ isGrowing: Bool) throws -> Store {
        try kind.open(path, pageByteCount: 4096) {
            $0.logHalfByteCount = 64 << 10
            $0.logHalfByteLimit = isGrowing ? 512 << 10 : 64 << 10
            $0.checkpointsWhenIdle = false
        }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        for index in stores.indices {
            try follow(index)
            try stores[index].close()
        }
        #expect(gapCount > 0 && commitCount > 0)
    }

    private mutating func step() throws {
        let index = random.below(2)
        switch random.below(20) {
        case 0: try stores[index].takeOverLog()
        case 1...4: try follow(index)
        case 5: try reopen(index)
        case 6: try write(stores[index], count: 600)
        case 7: try stores[index].write { try change(trees: &$0) }
        case 8...10: try write(stores[index], count: 30)
        default: try write(stores[index], count: 1 + random.below(4))
        }
    }

    /// Closes a store and opens it again; its copy keeps the changes read before, and following
    /// continues after them.
    private mutating func reopen(_ index: Int) throws {
        try stores[index].close()
        stores[index] = try Self.open(path, kind, isGrowing)
        try copies[index].goOn(stores[index])
    }

    private mutating func follow(_ index: Int) throws {
        let store = stores[index]
        // A published commit is reported only once it is durable.
        try store.waitUntilDurable(try store.info.commit)
        let (gaps, commits) = try copies[index].follow(store)
        gapCount += gaps
        commitCount += commits
        let seen = try LogModel(store)
        #expect(copies[index].names == seen.names)
        #expect(copies[index].trees == seen.trees)
    }

    private mutating func write(_ store: Store, count: Int) throws {
        let isRelaxed = random.isOne(in: 3)
        try store.write(durability: isRelaxed ? .relaxed(within: .seconds(3600)) : .full) {
            change in
            let tree = try change.openOrCreateTree(named: random.pick(LogModel.possibleNames))
            for _ in 0..<count {
                let key = "key \(random.below(300))"
                switch random.below(12) {
                case 0...2: try change.delete(key, in: tree)
                case 3 where count < 100:
                    try change.deleteRange(.prefix("key \(random.below(30))"), in: tree)
                default:
                    let byteCount = random.isOne(in: 30) ? random.below(3000) : random.below(90)
                    try change.put(random.bytes(byteCount), forKey: key, in: tree)
                }
            }
        }
    }

    private mutating func change(trees change: inout WriteTransaction) throws {
        let (name, other) = (
            random.pick(LogModel.possibleNames), random.pick(LogModel.possibleNames)
        )
        guard try change.treeIfPresent(named: name) != nil else { return }
        if random.isOne(in: 3) {
            try change.dropTree(named: name)
        } else if try change.treeIfPresent(named: other) == nil {
            try change.renameTree(named: name, to: other)
        }
    }
}

/// A copy of a store, made from what a follower reports.
private struct FollowedCopy {
    private(set) var names: LogModel.Names
    private(set) var trees: LogModel.Trees
    private var changes: StoreChanges
    /// The last commit that the follower reported.
    private var told: UInt64
    /// The last commit that the copy contains.
    private var commit: UInt64

    init(_ store: Store) throws {
        changes = try store.changes()
        let snapshot = try store.makeSnapshot()
        (told, commit) = (snapshot.commit, snapshot.commit)
        let seen = try LogModel(snapshot)
        (names, trees) = (seen.names, seen.trees)
    }

    mutating func goOn(_ store: Store) throws { changes = try store.changes(since: told) }

    /// Applies everything that is reported.
    ///
    /// - Returns: the numbers of gaps and of commits.
    mutating func follow(_ store: Store) throws -> (gaps: Int, commits: Int) {
        var (gaps, commits) = (0, 0)
        while let event = try changes.next() {
            switch event {
            case .commit(let changes):
                #expect(changes.commit == told + 1)
                told = changes.commit
                commits += 1
                guard changes.commit > commit else { continue }
                for operation in changes { apply(operation) }
                commit = changes.commit
            case .gap(let after, let upTo):
                #expect(after == told && upTo > after)
                told = upTo
                gaps += 1
                guard upTo > commit else { continue }
                try compare(with: try store.makeSnapshot())
            }
        }
        return (gaps, commits)
    }

    /// Replaces the copy's content with that of a snapshot.
    private mutating func compare(with snapshot: borrowing Snapshot) throws {
        let seen = try LogModel(snapshot)
        (names, trees, commit) = (seen.names, seen.trees, snapshot.commit)
    }

    private mutating func apply(_ operation: CommittedOperation) {
        let tree = UInt64(operation.treeNumber)
        switch operation {
        case .put(_, let key, let value): trees[tree]?[key.copy] = value.copy
        case .delete(_, let key): trees[tree]?[key.copy] = nil
        case .createTree(_, let name): (names[name.copy], trees[tree]) = (tree, [:])
        case .dropTree(_, let name): (names[name.copy], trees[tree]) = (nil, nil)
        case .renameTree(_, let name, let newName):
            (names[name.copy], names[newName.copy]) = (nil, tree)
        }
    }
}
