import Bulla
import BullaMemory
import BullaTestSupport

/// Trees and their names, as dictionaries.
struct LogModel: Equatable {
    typealias Names = [[UInt8]: UInt64]
    typealias Trees = [UInt64: [[UInt8]: [UInt8]]]

    private(set) var names: Names = [:]
    private(set) var trees: Trees = [:]

    init() {}

    /// The trees of a store.
    init(_ store: Store) throws { self = try store.read { snapshot in try LogModel(snapshot) } }

    /// The trees that a snapshot sees.
    init(_ snapshot: borrowing Snapshot) throws {
        var (names, trees): (Names, Trees) = ([:], [:])
        try snapshot.forEachTree { name, tree in
            var entries: [[UInt8]: [UInt8]] = [:]
            try snapshot.scan(tree) { key, value in
                entries[key.withView { $0.copied() }] = value.withView { $0.copied() }
                return .next
            }
            let number = UInt64(tree.number)
            names[name.withView { $0.copied() }] = number
            trees[number] = entries
        }
        (self.names, self.trees) = (names, trees)
    }

    /// What a reader sees with memtables above these trees.
    func under(_ changes: MemtablePair) -> LogModel {
        var seen = LogModel()
        seen.names = Self.entries(names, under: changes.cursor(tree: 0)) { key, value in
            (Array(key.dropFirst()), value.withView { TreeRootLayout.read($0).number })
        }
        for number in seen.names.values {
            let cursor = changes.cursor(tree: number)
            seen.trees[number] = Self.entries(trees[number] ?? [:], under: cursor) { ($0, $1) }
        }
        return seen
    }

    private static func entries<Value>(
        _ base: [[UInt8]: Value], under changes: ChangeCursor,
        _ entry: ([UInt8], [UInt8]) -> (key: [UInt8], value: Value)
    ) -> [[UInt8]: Value] {
        var (entries, cursor) = (base, changes)
        cursor.moveToEnd(.ascending)
        while let change = cursor.change {
            let key = cursor.key.copied()
            if case .put(let value) = change {
                let (key, value) = entry(key, value.copied())
                entries[key] = value
            } else {
                entries[entry(key, Self.anyRecord).key] = nil
            }
            cursor.moveToNext()
        }
        return entries
    }

    private static let anyRecord = [UInt8](repeating: 0, count: TreeRootLayout.byteCount)

    /// The possible names of trees.
    static let possibleNames = (0..<8).map { Array("tree \($0)".utf8) }

    /// Makes a random change, both here and in a writer's edit and turn.
    mutating func change(
        _ edit: inout LogEdit, _ turn: inout LogTurn, _ nextTree: inout UInt64,
        _ random: inout TestRandom
    ) throws {
        let name = random.pick(Self.possibleNames)
        guard let number = names[name] else {
            try name.withView { try edit.apply(.createTree(nextTree, name: $0), &turn) }
            (names[name], trees[nextTree]) = (nextTree, [:])
            nextTree += 1
            return
        }
        let newName = random.pick(Self.possibleNames)
        switch random.below(40) {
        case 0:
            try name.withView { try edit.apply(.dropTree(number, name: $0), &turn) }
            (names[name], trees[number]) = (nil, nil)
        case 1 where names[newName] == nil:
            try name.withView { name in
                try newName.withView {
                    try edit.apply(.renameTree(number, name: name, newName: $0), &turn)
                }
            }
            (names[name], names[newName]) = (nil, number)
        default:
            let key = Array("key \(random.below(200))".utf8)
            let value = random.isOne(in: 4) ? nil : random.bytes(Self.byteCount(&random))
            try put(value, key, number, &edit, &turn)
        }
    }

    /// The length of a value: usually a few bytes, at most enough for pages of its own in a tree.
    private static func byteCount(_ random: inout TestRandom) -> Int {
        switch random.below(50) {
        case 0: random.below(6000)
        case 1...4: random.below(1200)
        default: random.below(90)
        }
    }

    private mutating func put(
        _ value: [UInt8]?, _ key: [UInt8], _ number: UInt64, _ edit: inout LogEdit,
        _ turn: inout LogTurn
    ) throws {
        try key.withView { key in
            guard let value else { return try edit.apply(.delete(tree: number, key: key), &turn) }
            try value.withView { try edit.apply(.put(tree: number, key: key, value: $0), &turn) }
        }
        trees[number]?[key] = value
    }
}
