import Bulla
import BullaMemory
import BullaTestSupport
import Foundation

/// Random operations on a store, each compared with the model.
struct ModelRun {
    let configuration: ModelConfiguration
    let path: String
    let context: ModelContext
    var store: Store
    var keys: KeyMaker
    var writes: WriteChecks
    var model = ModelState()
    /// Models of the commits that can be the newest durable one.
    var history: [UInt64: ModelState]
    var held: [HeldSnapshot] = []

    private static let treeNames: [[UInt8]] = [
        Array("records".utf8), Array("r".utf8), [0], [UInt8](repeating: 0xFF, count: 255),
    ]

    init(_ configuration: ModelConfiguration, path: String, seed: UInt64) throws {
        self.configuration = configuration
        self.path = path
        context = ModelContext(seed: seed)
        store = try configuration.open(path)
        let format = PageFormat(pageByteCount: configuration.pageByteCount)
        keys = KeyMaker(
            byteLimit: format.keyByteLimit, variety: 50 << context.random.below(6),
            &context.random)
        writes = WriteChecks(context: context, keys: keys, values: ValueMaker(format: format))
        history = [try store.info.commit: model]
    }

    mutating func run(operations: Int) throws {
        while context.operation < operations {
            switch context.random.below(400) {
            case 0..<280: try transaction()
            case 280..<360: try reads()
            case 360..<380: try hold()
            case 380..<398: try releaseOne()
            case 398: try check()
            default: try reopen()
            }
        }
        try reopen()
        try store.close()
    }

    private struct Abort: Error {}

    private mutating func transaction() throws {
        writes.isShrinking =
            model.entryCount > 2500
            || (writes.isShrinking && !context.random.isOne(in: 40))
        let count = context.random.isOne(in: 10) ? 300 : 1 + context.random.below(40)
        let aborts = context.random.isOne(in: 12)
        let before = try store.info.commit
        var next = model
        do {
            try store.write(durability: durability()) { change in
                try steps(count, &change, &next)
                if aborts { throw Abort() }
            }
            try context.check(!aborts, "a transaction that threw was committed")
        } catch is Abort {
            try context.check(try store.info.commit == before, "an aborted write left a commit")
            return
        }
        model = next
        history[try store.info.commit] = next
    }

    private func durability() -> Durability {
        context.random.isOne(in: 15) ? .full : .relaxed(within: .milliseconds(50))
    }

    private mutating func steps(
        _ count: Int, _ change: inout WriteTransaction, _ next: inout ModelState, depth: Int = 0
    ) throws {
        for _ in 0..<count {
            if depth < 3 && context.random.isOne(in: 40) {
                try savepoint(&change, &next, depth: depth)
            } else {
                try step(&change, &next)
            }
        }
    }

    /// Runs a part of a transaction, and undoes it in half of the cases.
    private mutating func savepoint(
        _ change: inout WriteTransaction, _ next: inout ModelState, depth: Int
    ) throws {
        let count = 1 + context.random.below(30)
        let isUndone = context.random.isOne(in: 2)
        var inner = next
        do {
            try change.withSavepoint { change in
                try steps(count, &change, &inner, depth: depth + 1)
                if isUndone { throw Abort() }
            }
            next = inner
        } catch is Abort {
            try context.check(isUndone, "a part that was not to be undone threw")
        }
    }

    private mutating func step(_ change: inout WriteTransaction, _ next: inout ModelState) throws {
        context.operation += 1
        if context.random.isOne(in: 300) { return try changeTrees(&change, &next) }
        let name =
            context.random.isOne(in: 3)
            ? context.random.pick(Self.treeNames) : Self.treeNames[0]
        let tree: Tree
        if next.trees[name] == nil {
            try context.check(
                try change.treeIfPresent(named: name) == nil, "a tree that should not be")
            tree = try change.openOrCreateTree(named: name)
        } else {
            tree = try change.tree(named: name)
        }
        // Take the model out, so that its entries have only one owner while they change.
        var model = next.trees.removeValue(forKey: name) ?? SortedModel()
        defer { next.trees[name] = model }
        guard context.random.isOne(in: 4) else {
            return try writes.one(&change, tree, &model)
        }
        var checks = ReadChecks(context: context, model: model, keys: keys)
        try checks.one(change, tree)
    }

    private mutating func changeTrees(
        _ change: inout WriteTransaction, _ next: inout ModelState
    ) throws {
        let name = context.random.pick(Self.treeNames)
        let isThere = next.trees[name] != nil
        switch context.random.below(4) {
        case 0:
            try context.check(try change.dropTree(named: name) == isThere, "dropTree")
            next.trees[name] = nil
        case 1:
            try names(change, next)
        case 2:
            try rename(name, &change, &next)
        default:
            let code = try create(name, &change)
            try context.check(code == (isThere ? .treeExists : nil), "createTree")
            let tree = try change.openOrCreateTree(named: name)
            let count = next.trees[name]?.count ?? 0
            try context.check(try change.count(of: tree) == count, "count in openOrCreateTree")
            next.trees[name] = next.trees[name] ?? SortedModel()
        }
    }

    private mutating func rename(
        _ name: [UInt8], _ change: inout WriteTransaction, _ next: inout ModelState
    ) throws {
        let newName = context.random.pick(Self.treeNames)
        let expected: BullaError.Code? =
            next.trees[name] == nil
            ? .treeNotFound : next.trees[newName] != nil ? .treeExists : nil
        let tree = try change.treeIfPresent(named: name)
        var code: BullaError.Code?
        do { try change.renameTree(named: name, to: newName) } catch { code = error.code }
        try context.check(code == expected, "renameTree gave \(code?.rawValue ?? "no error")")
        guard expected == nil, let tree else { return }
        next.trees[newName] = next.trees.removeValue(forKey: name)
        let count = next.trees[newName]?.count ?? 0
        try context.check(try change.count(of: tree) == count, "count of a renamed tree")
    }

    private func create(
        _ name: [UInt8], _ change: inout WriteTransaction
    ) throws -> BullaError.Code? {
        do throws(BullaError) { try change.createTree(named: name) } catch { return error.code }
        return nil
    }

    private func names(
        _ reader: borrowing some TreeReader & ~Copyable, _ state: ModelState
    ) throws {
        var names: [[UInt8]] = []
        try reader.forEachTree { name, _ in names.append(name.copied()) }
        try context.check(names == state.names, "forEachTree gave \(names.count) names")
    }

    private mutating func reads() throws {
        let visibility: SnapshotVisibility = context.random.isOne(in: 2) ? .durable : .published
        let snapshot = try store.makeSnapshot(visibility: visibility)
        let state = try state(of: snapshot, visibility)
        for _ in 0..<1 + context.random.below(20) {
            context.operation += 1
            guard let name = state.names.randomElement(using: &context.random),
                let model = state.trees[name]
            else { return try names(snapshot, state) }
            let tree = try snapshot.tree(named: name)
            if context.random.isOne(in: 6) {
                var walk = CursorWalk(context: context, model: model, keys: keys)
                try walk.run(try snapshot.makeCursor(in: tree))
            } else {
                var checks = ReadChecks(context: context, model: model, keys: keys)
                try checks.one(snapshot, tree)
            }
        }
    }

    /// The model of the commit that a snapshot sees.
    private mutating func state(
        of snapshot: borrowing Snapshot, _ visibility: SnapshotVisibility
    ) throws -> ModelState {
        let commit = snapshot.commit
        let state = history[commit]
        try context.check(state != nil, "a snapshot sees commit \(commit), which never was")
        if visibility == .durable {
            history = history.filter { $0.key >= commit }
        } else {
            try context.check(try store.info.commit == commit, "a snapshot is not of the newest")
        }
        return state ?? ModelState()
    }

    /// Compares every tree of a snapshot, in both directions.
    private func whole(_ snapshot: borrowing Snapshot, _ state: ModelState) throws {
        try names(snapshot, state)
        for (name, model) in state.trees {
            let checks = ReadChecks(context: context, model: model, keys: keys)
            try checks.whole(snapshot, try snapshot.tree(named: name))
        }
    }

    /// Checks the store, and sometimes makes a dense copy, which is compared, too.
    private mutating func check() throws {
        try wholeStore(.published)
        let report = try store.check()
        try context.check(report.isSound, "check found \(report.defects.first.debugDescription)")
        guard context.random.isOne(in: 4) else { return }
        // A write without changes waits until what it has seen is durable.
        try store.write { _ in }
        let copy = path + ".copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        var options = StoreOptions()
        options.suite = configuration.kind.suite
        try store.compact(to: copy, key: try configuration.kind.key(), options: options)
        let dense = try configuration.kind.open(copy)
        try context.check(try dense.check().isSound, "a compacted copy is not sound")
        try whole(try dense.makeSnapshot(), model)
        try dense.close()
    }

    private mutating func wholeStore(_ visibility: SnapshotVisibility) throws {
        let snapshot = try store.makeSnapshot(visibility: visibility)
        try whole(snapshot, try state(of: snapshot, visibility))
    }

    private mutating func hold() throws {
        guard held.count < 6 else { return try releaseOne() }
        let visibility: SnapshotVisibility = context.random.isOne(in: 2) ? .durable : .published
        let snapshot = try store.makeSnapshot(visibility: visibility)
        let state = try state(of: snapshot, visibility)
        held.append(HeldSnapshot(snapshot, state))
    }

    private mutating func releaseOne() throws {
        guard !held.isEmpty else { return }
        let one = held.remove(at: context.random.below(held.count))
        try whole(one.snapshot, one.state)
    }

    private mutating func reopen() throws {
        while !held.isEmpty { try releaseOne() }
        try store.close()
        store = try configuration.open(path)
        history = [try store.info.commit: model]
        let info = try store.info
        try context.check(info.durableCommit == info.commit, "a commit was not durable after close")
        try wholeStore(.durable)
    }
}

/// A snapshot held across commits, and what it must keep seeing.
final class HeldSnapshot {
    let snapshot: Snapshot
    let state: ModelState

    init(_ snapshot: consuming Snapshot, _ state: ModelState) {
        self.snapshot = snapshot
        self.state = state
    }
}
