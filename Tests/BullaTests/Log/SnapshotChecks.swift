import Bulla
import BullaTestSupport
import Testing

/// Compares everything that a snapshot shows with dictionaries.
struct SnapshotChecks {
    let context: ModelContext

    private static let format = PageFormat(pageByteCount: 4096)

    init(seed: UInt64) { context = ModelContext(seed: seed) }

    func run(_ snapshot: borrowing Snapshot, _ content: LogModel) throws {
        #expect(try LogModel(snapshot) == content)
        try checkNames(snapshot, content)
        for (name, number) in content.names {
            let tree = try snapshot.tree(named: name)
            #expect(tree.number == Int(number))
            try check(snapshot, tree, content.trees[number] ?? [:])
        }
    }

    private func checkNames(_ snapshot: borrowing Snapshot, _ content: LogModel) throws {
        let names = try snapshot.treeNames().map(\.bytes)
        #expect(names == content.names.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for name in LogModel.possibleNames where content.names[name] == nil {
            #expect(try snapshot.treeIfPresent(named: name) == nil)
            let error = #expect(throws: BullaError.self) { try snapshot.tree(named: name) }
            #expect(error?.code == .treeNotFound)
        }
    }

    private func check(
        _ snapshot: borrowing Snapshot, _ tree: Tree, _ entries: [[UInt8]: [UInt8]]
    ) throws {
        var model = SortedModel()
        for (key, value) in entries { model[key] = value }
        let keys = KeyMaker(
            byteLimit: Self.format.keyByteLimit, variety: 50, &context.random)
        var checks = ReadChecks(context: context, model: model, keys: keys)
        for _ in 0..<30 {
            context.operation += 1
            try checks.one(snapshot, tree)
        }
        for _ in 0..<3 {
            context.operation += 1
            var walk = CursorWalk(context: context, model: model, keys: keys)
            try walk.run(try snapshot.makeCursor(in: tree))
        }
        try checks.whole(snapshot, tree)
        _ = try snapshot.statistics(of: tree)
    }
}

/// A held snapshot, and what it must show as long as it is held.
final class LogSnapshot {
    private let snapshot: Snapshot
    private let content: LogModel

    init(_ snapshot: consuming Snapshot, _ content: LogModel) {
        self.snapshot = snapshot
        self.content = content
    }

    func check(seed: UInt64) throws { try SnapshotChecks(seed: seed).run(snapshot, content) }

    /// Expects that the snapshot says that its store was closed.
    func checkClosed() throws {
        let error = #expect(throws: BullaError.self) { try snapshot.treeNames() }
        #expect(error?.code == .closed)
    }
}
