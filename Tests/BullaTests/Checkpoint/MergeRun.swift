import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Random changes, merged into a store's tree one stream after the other, and compared with a
/// sorted dictionary.
struct MergeRun {
    typealias Changes = [(key: [UInt8], value: [UInt8]?)]

    private let scratch: Scratch
    private let store: Store
    private let format: PageFormat
    private var random: TestRandom
    private var model = SortedModel()
    private var keys: KeyMaker

    init(_ scratch: Scratch, _ kind: StoreKind, pageByteCount: Int, seed: UInt64) throws {
        self.scratch = scratch
        store = try kind.open(scratch.path("merged.bulla"), pageByteCount: pageByteCount)
        format = PageFormat(pageByteCount: pageByteCount)
        random = TestRandom(seed: seed)
        keys = KeyMaker(byteLimit: format.keyByteLimit, variety: 3000, &random)
    }

    mutating func run(rounds: Int) throws {
        for round in 0..<rounds {
            if round > 0, random.isOne(in: 4) { try putAlone() }
            try merge(changes(round))
            try check(round)
        }
        try merge(removal(of: .all))
        try check(rounds)
        #expect(model.count == 0)
        try store.close()
    }

    private mutating func changes(_ round: Int) -> Changes {
        switch round == 0 ? 1 : random.below(7) {
        case 0: (0..<1 + random.below(4)).map { _ in change() }
        case 1, 2: (0..<random.below(3000)).map { _ in change() }
        case 3: inOrder()
        case 4, 5:
            removal(of: keys.narrow(model, &random)) + removal(of: keys.range(model, &random))
        default: model.entries(.all, descending: false, limit: .max).map { ($0.key, [1, 2, 3]) }
        }
    }

    private mutating func change() -> (key: [UInt8], value: [UInt8]?) {
        let key = keys.key(model, &random)
        guard !random.isOne(in: 3) else { return (key, nil) }
        return (key, ValueMaker(format: format).value(forKey: key, &random))
    }

    /// Changes that put values under keys that follow an existing key, in order.
    private mutating func inOrder() -> Changes {
        let first = (model.anyEntry(&random)?.key ?? [5]).prefix(format.keyByteLimit - 6)
        return (0..<random.below(2000)).map { number in
            (Array(first) + Array("\(number + 10_000)".utf8), random.bytes(random.below(120)))
        }
    }

    /// Deletes all keys of a range, or all but a few if the range has a lower bound.
    private mutating func removal(of range: ModelRange) -> Changes {
        let keepsSome = range.lower != nil
        return model.entries(range, descending: false, limit: .max)
            .filter { _ in !keepsSome || !random.isOne(in: 30) }.map { ($0.key, nil) }
    }

    /// Changes the tree directly, so that the next merge meets these changes.
    private mutating func putAlone() throws {
        let changes: Changes = (0..<random.below(200)).map { _ in change() }
        try store.write { transaction in
            let tree = try transaction.openOrCreateTree(named: "t")
            for (key, value) in changes {
                if let value {
                    try transaction.put(value, forKey: key, in: tree)
                } else {
                    try transaction.delete(key, in: tree)
                }
            }
        }
        for (key, value) in changes { model[key] = value }
    }

    private mutating func merge(_ changes: Changes) throws {
        try MergeChanges(changes).merge(into: store)
        for (key, value) in changes { model[key] = value }
    }

    /// Compares every entry, and checks every page of the file.
    private func check(_ round: Int) throws {
        let report = try store.check()
        #expect(report.isSound, "round \(round): \(report.defects.prefix(3))")
        #expect(report.entryCount == model.count, "round \(round)")
        var entries = model.entries(.all, descending: false, limit: .max)[...]
        var wrongCount = 0
        try store.read { snapshot in
            try snapshot.scan(try snapshot.tree(named: "t")) { key, value in
                let entry = entries.popFirst()
                let isSame = key.withView { $0.copied() == entry?.key }
                if !isSame || !value.withView({ $0.copied() == entry?.value }) { wrongCount += 1 }
                return .next
            }
        }
        #expect(wrongCount == 0 && entries.isEmpty, "round \(round)")
    }
}

/// Changes in a memtable; later ones replace earlier ones.
struct MergeChanges {
    private let memtable: Memtable

    init(_ changes: MergeRun.Changes) throws {
        memtable = try Memtable(byteLimit: 256 << 20)
        var edit = try memtable.edit()
        for (key, value) in changes {
            try key.withView { key in
                let key = MemtableKey(tree: 1, key)
                if let value {
                    try value.withView { try edit.put(key, $0) }
                } else {
                    try edit.put(key, nil)
                }
            }
        }
        _ = edit.publish()
    }

    /// Merges the changes into the tree "t", as one commit.
    func merge(into store: Store) throws {
        guard let version = try memtable.hold(memtable.newest) else { return }
        try store.write { transaction in
            let tree = try transaction.openOrCreateTree(named: "t")
            var cursor = version.view.cursor(tree: 1)
            cursor.moveToFirst()
            try transaction.merge(cursor, into: tree)
        }
    }
}
