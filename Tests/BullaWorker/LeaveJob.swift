import Bulla
import BullaMemory
package import BullaTestSupport

/// Runs every verb that copies bytes, with canaries, then waits, closes the store, and waits again,
/// still holding the store and all results, so that the process's memory can be searched.
struct LeaveJob {
    private let command: WorkerCommand
    private let seed: Int

    init(_ command: WorkerCommand) throws {
        self.command = command
        seed = command.number("seed")
        if let folder = command.text("core") { try CoreDump.allow(in: folder) }
    }

    func run() throws {
        var key = try command.takeKey()
        let store = try openAndUse(key)
        // Drop the key now, unless a test looks for it.
        if command.number("keep") == 0 { key = nil }
        let planted =
            command.number("plant") == 1 ? CanaryVerb.put.canary(.value, seed).array() : []
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: CanaryVerb.cursor.canary(.tree, seed))
        var cursor = try snapshot.makeCursor(in: tree)
        guard try cursor.moveToFirst() else { throw WorkerFailure.impossible("a tree is empty") }
        try cursor.withValue { Line.say("held", $0.byteCount) }
        let changes = try store.changes()
        try VerbRun(.put, seed, store, key).put()
        while try changes.next() != nil {}
        sayMemory()
        Canary.overwriteRegisters()
        Canary.overwriteStack()
        Line.say("ready")
        Line.await()
        try store.close()
        sayMemory()
        Line.say("ready")
        Line.await()
        Line.say("late-get", lateCode { _ = try snapshot.contains("k", in: tree) })
        Line.say("late-cursor", lateCode { _ = try cursor.moveToNext() })
        Line.say("late-changes", lateCode { _ = try changes.next() })
        Line.say("late-write", lateCode { _ = try store.beginWrite() })
        withExtendedLifetime((store, planted, key)) { Line.awaitEnd() }
    }

    private func sayMemory() {
        let statistics = SecretArena.statistics
        Line.say("secrets", statistics.secretCount)
        Line.say("hidden", statistics.hiddenByteCount)
    }

    private func openAndUse(_ key: StoreKey?) throws -> Store {
        let store = try command.openStore(key)
        for verb in CanaryVerb.allCases { try VerbRun(verb, seed, store, key).run() }
        return store
    }

    private func lateCode(_ body: () throws -> Void) -> Int {
        do { try body() } catch let error as BullaError { return error.code.number } catch {}
        return 0
    }
}

/// The verbs that copy names, keys or values.
package enum CanaryVerb: Int, CaseIterable, Sendable {
    case put, insert, delete, get, batch, lend, nestedLend, large
    case smallStream, largeStream, streamOut, readPart, scan, ends, cursor, names
    case split, deleteRange, savepoint, group, compareAndSet
    case check, compact, backup, salvage, changeKey

    /// The part of an entry that a canary stands for.
    package enum Part: Int, CaseIterable, Sendable { case tree, key, value, newKey }

    package func canary(_ part: Part, _ seed: Int) -> Canary {
        Canary(seed: (seed * 100 + rawValue) * 10 + part.rawValue)
    }

    /// Whether it leaves its entry in the store.
    package var keepsEntry: Bool { self != .delete && self != .deleteRange }

    /// Whether its value surely stays in a frame: long ones bypass the cache.
    package var keepsValueInMemory: Bool { self != .large && self != .largeStream }
}

/// One verb, run with canaries of its own.
struct VerbRun {
    let verb: CanaryVerb
    let store: Store
    let storeKey: StoreKey?
    let tree, key, value: Canary
    let newKey: Canary

    init(_ verb: CanaryVerb, _ seed: Int, _ store: Store, _ storeKey: StoreKey?) {
        self.verb = verb
        self.store = store
        self.storeKey = storeKey
        tree = verb.canary(.tree, seed)
        key = verb.canary(.key, seed)
        value = verb.canary(.value, seed)
        newKey = verb.canary(.newKey, seed)
    }

    func run() throws {
        switch verb {
        case .put: try put()
        case .insert: try write { try $0.insert(value, forKey: key, in: $1) }
        case .delete: try delete()
        case .get: try get()
        case .batch: try getMany()
        case .lend: try lend(depth: 1)
        case .nestedLend: try lend(depth: 10)
        case .large: try large()
        case .smallStream: try stream(parts: 3)
        case .largeStream: try stream(parts: 4000)
        case .streamOut, .readPart: try readParts()
        case .scan: try scan()
        case .ends: try ends()
        case .cursor: try put()
        case .names: try names()
        case .split: try split()
        case .deleteRange: try deleteRange()
        case .savepoint: try savepoint()
        case .group: try group()
        case .compareAndSet: try compareAndSet()
        case .check, .compact, .backup, .salvage, .changeKey:
            try put()
            try copyStore()
        }
    }

    func write(_ body: (inout WriteTransaction, Tree) throws -> Void) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: tree)
            try body(&change, tree)
        }
    }

    func put() throws { try write { try $0.put(value, forKey: key, in: $1) } }

    private func delete() throws {
        try put()
        try write { try $0.delete(key, in: $1) }
        try write { try $0.delete(key, in: $1) }
    }

    private func get() throws {
        try put()
        try store.read { snapshot in
            var copy = try snapshot.value(forKey: key, in: try snapshot.tree(named: tree))
            Canary.wipe(&copy)
        }
        try write { change, tree in
            var copy = try change.value(forKey: key, in: tree)
            Canary.wipe(&copy)
        }
    }

    private func getMany() throws {
        try write { change, tree in
            for number in 0..<40 { try change.put(value, forKey: numbered(key, number), in: tree) }
        }
        var keys = (0..<40).map { numbered(key, $0).array() }
        try store.read { snapshot in
            var values = try snapshot.values(forKeys: keys, in: try snapshot.tree(named: tree))
            for index in values.indices { Canary.wipe(&values[index]) }
            try snapshot.withValues(forKeys: keys, in: try snapshot.tree(named: tree)) { _, _ in }
        }
        for index in keys.indices { Canary.wipe(&keys[index]) }
    }

    /// One of many keys that begin with the same canary.
    func numbered(_ canary: Canary, _ number: Int) -> Canary {
        Canary(seed: canary.seed, suffix: UInt64(number))
    }

    private func lend(depth: Int) throws {
        try put()
        try store.read { snapshot in
            try lend(snapshot, try snapshot.tree(named: tree), depth)
        }
        try write { change, tree in
            _ = try change.withValue(forKey: key, in: tree) { $0.byteCount }
            _ = try change.valueByteCount(forKey: key, in: tree)
        }
    }

    /// Nests loans of one entry; a thread can hold frames for only a few of them, and any others
    /// are copies.
    private func lend(_ snapshot: borrowing Snapshot, _ tree: Tree, _ depth: Int) throws {
        guard depth > 0 else { return }
        try snapshot.scan(tree) { _, _ in
            _ = try snapshot.withValue(forKey: key, in: tree) { _ in
                try lend(snapshot, tree, depth - 1)
            }
            return .next
        }
    }

    private func large() throws {
        try write { change, tree in
            try key.withBytes { key in
                try value.lend(times: 3000) { try change.put($0, forKey: key, in: tree) }
            }
        }
        try store.read { snapshot in
            let tree = try snapshot.tree(named: tree)
            _ = try snapshot.withValue(forKey: key, in: tree) { $0.byteCount }
            var copy = try snapshot.value(forKey: key, in: tree)
            Canary.wipe(&copy)
        }
    }

    private func stream(parts: Int) throws {
        try write { change, tree in
            try change.putStream(forKey: key, in: tree) { write in
                for _ in 0..<parts { try value.withBytes { try write($0) } }
            }
        }
    }
}
