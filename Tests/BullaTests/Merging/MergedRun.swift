import Bulla
import BullaTestSupport

/// Random trees under two random memtables, compared with their combination.
struct MergedRun {
    private let context: ModelContext
    private let store: Store
    private var keys: KeyMaker
    private let values: ValueMaker
    /// The content of the store's tree, and of another one.
    private var base = [SortedModel(), SortedModel()]

    private static let names = ["records", "other"]
    /// A tree that no commit has put into the catalog yet.
    private static let newTree: UInt64 = 1 << 40 | 1
    private static let newName = "new"
    private static let memtableByteLimit = 256 << 20

    init(_ configuration: ModelConfiguration, path: String, seed: UInt64) throws {
        context = ModelContext(seed: seed)
        store = try configuration.open(path)
        let format = PageFormat(pageByteCount: configuration.pageByteCount)
        keys = KeyMaker(
            byteLimit: format.keyByteLimit, variety: 50 << context.random.below(6),
            &context.random)
        values = ValueMaker(format: format)
    }

    mutating func run(rounds: Int) throws {
        for _ in 0..<rounds {
            try changeBase()
            try round()
        }
        try store.close()
    }

    private mutating func changeBase() throws {
        try store.write(durability: .relaxed(within: .seconds(60))) { change in
            for (index, name) in Self.names.enumerated() {
                let tree = try change.openOrCreateTree(named: name)
                if context.random.isOne(in: 5) {
                    try change.deleteRange(.all, in: tree)
                    base[index] = SortedModel()
                }
                for (key, value) in makeChanges(base[index]) {
                    if let value {
                        try change.put(value, forKey: key, in: tree)
                    } else {
                        try change.delete(key, in: tree)
                    }
                    base[index][key] = value
                }
            }
        }
    }

    private typealias Changes = [(key: [UInt8], value: [UInt8]?)]

    /// Random changes of a tree: none, a range deleted or put again, everything deleted, or
    /// anything.
    private mutating func makeChanges(_ model: SortedModel) -> Changes {
        switch context.random.below(8) {
        case 0: return []
        case 1:
            let range = keys.range(model, &context.random)
            return model.entries(range, descending: false, limit: .max).map { ($0.key, nil) }
        case 2:
            let range = keys.range(model, &context.random)
            return model.entries(range, descending: true, limit: 200).map {
                ($0.key, values.value(forKey: $0.key, &context.random))
            }
        case 3 where context.random.isOne(in: 3):
            return model.entries(.all, descending: false, limit: .max).map { ($0.key, nil) }
        default:
            let count = context.random.isOne(in: 3) ? 300 : context.random.below(40)
            return (0..<count).map { _ in
                let key = keys.key(model, &context.random)
                let isGone = context.random.isOne(in: 3)
                return (key, isGone ? nil : values.value(forKey: key, &context.random))
            }
        }
    }

    /// Puts two memtables over the trees, and reads.
    private mutating func round() throws {
        try store.takeOverLog()
        let numbers = try store.read(visibility: .published) { snapshot in
            try Self.names.map { UInt64(try snapshot.tree(named: $0).number) } + [Self.newTree]
        }
        var models = base + [SortedModel()]
        let older = try memtable(numbers, &models)
        let newer = try memtable(numbers, &models)
        try newer.read { newer in
            try older.read { older in
                let pair = MemtablePair(newer: newer, older: older)
                let merged = try store.makeSnapshot(under: pair)
                for (name, model) in zip(Self.names + [Self.newName], models) {
                    try read(merged, try merged.tree(named: name), model)
                }
            }
        }
    }

    private mutating func memtable(
        _ numbers: [UInt64], _ models: inout [SortedModel]
    ) throws -> HeldModel {
        let table = try Memtable(byteLimit: Self.memtableByteLimit)
        var naming = try table.edit()
        try naming.putName(Self.newName, Self.newTree)
        _ = naming.publish()
        for _ in 0..<context.random.below(3) {
            var edit = try table.edit()
            for (index, number) in numbers.enumerated() {
                for (key, value) in makeChanges(models[index]) {
                    try edit.put(number, key, value)
                    models[index][key] = value
                }
            }
            _ = edit.publish()
        }
        return try HeldModel(table, table.newest)
    }

    private func read(
        _ merged: borrowing Snapshot, _ tree: Tree, _ model: SortedModel
    ) throws {
        var checks = ReadChecks(context: context, model: model, keys: keys)
        for _ in 0..<60 {
            context.operation += 1
            try checks.one(merged, tree)
        }
        for _ in 0..<8 {
            context.operation += 1
            var walk = CursorWalk(context: context, model: model, keys: keys)
            try walk.run(try merged.makeCursor(in: tree))
        }
        try checks.whole(merged, tree)
    }
}
