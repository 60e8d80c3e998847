import Bulla
import BullaTestSupport

/// Calls every verb on a store that can be arbitrarily wrong.
///
/// Each verb may fail, but only with the store's own error.
struct VerbRun {
    let path: String
    private let keys = ["a", "b", "c", "m", "zz", ""].map { Array($0.utf8) }

    /// - Throws: any error other than the store's own.
    func run() throws {
        for job in 0..<10 {
            // Open the store again for each job, so that an error of one job does not prevent the
            // others.
            try attempt {
                let store = try StoreKind.plain.open(path) { $0.lockTimeout = .seconds(1) }
                try attempt { try perform(job, store) }
                try store.close()
            }
        }
    }

    private func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch is BullaError {}
    }

    private func perform(_ job: Int, _ store: Store) throws {
        switch job {
        case 0: try read(store)
        case 1: _ = try store.check()
        case 2: try store.compact(to: path + ".copy", key: nil)
        case 3:
            try write(store) { change, tree in
                for key in keys { try attempt { try change.put(key, forKey: key, in: tree) } }
            }
        case 4:
            try write(store) { change, tree in
                for key in keys { try attempt { try change.delete(key, in: tree) } }
            }
        case 5:
            try write(store) { change, tree in
                try change.deleteRange(.from("b", through: "m"), in: tree)
            }
        case 6:
            try write(store) { change, tree in
                try attempt {
                    _ = try change.compareAndSet(forKey: "b", expected: nil, new: [1], in: tree)
                }
                try change.put([UInt8](repeating: 1, count: 50_000), forKey: "b", in: tree)
            }
        case 7: try write(store) { change, tree in try change.deleteRange(.all, in: tree) }
        case 8: try readMerged(store)
        default: try dropAndFill(store)
        }
    }

    private func write(
        _ store: Store, _ body: (inout WriteTransaction, Tree) throws -> Void
    ) throws {
        try store.write(durability: .relaxed(within: .seconds(60))) { change in
            try body(&change, try change.tree(named: "t"))
        }
    }

    private func dropAndFill(_ store: Store) throws {
        try attempt { try store.write { try $0.renameTree(named: "t", to: "other") } }
        try attempt { try store.write { try $0.renameTree(named: "other", to: "t") } }
        try attempt { try store.write { _ = try $0.dropTree(named: "t") } }
        for _ in 0..<3 {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "new")
                for number in 0..<300 { try change.put("value", forKey: "key \(number)", in: tree) }
            }
        }
    }

    private func read(_ store: Store) throws {
        let snapshot = try store.makeSnapshot()
        try read(snapshot)
        try attempt {
            try walk(try snapshot.makeCursor(in: try snapshot.tree(named: "t")))
        }
    }

    /// Makes the same reads under memtables; their keys lie everywhere among the keys of the tree.
    private func readMerged(_ store: Store) throws {
        let tree = try store.makeSnapshot().tree(named: "t")
        let number = UInt64(tree.number)
        for (newer, older) in [("", "-c"), ("a -b c zz", "b -c -m n"), ("-a -b -c -m -z", "")] {
            let newer = try memtable(newer, number)
            let older = try memtable(older, number)
            try newer.read { newer in
                try older.read { older in
                    let pair = MemtablePair(newer: newer, older: older)
                    let merged = try store.makeSnapshot(under: pair)
                    try read(merged)
                    try attempt { try walk(try merged.makeCursor(in: tree)) }
                }
            }
        }
    }

    /// - Parameter changes: keys, separated by spaces; a minus marks a deleted one.
    private func memtable(_ changes: String, _ tree: UInt64) throws -> HeldModel {
        let table = try Memtable(byteLimit: Memtable.byteLimits.lowerBound)
        var edit = try table.edit()
        for change in changes.split(separator: " ") {
            let isGone = change.hasPrefix("-")
            let key = Array(change.utf8.dropFirst(isGone ? 1 : 0))
            try edit.put(tree, key, isGone ? nil : key)
        }
        try edit.putName("new", 1 << 40)
        try edit.putName("renamed", tree)
        return try HeldModel(table, edit.publish())
    }

    private func read(_ snapshot: borrowing some TreeReader & ~Copyable) throws {
        try attempt { _ = try snapshot.treeNames() }
        try attempt { try snapshot.forEachTree { _, _ in } }
        let tree = try snapshot.tree(named: "t")
        for key in keys {
            try attempt { _ = try snapshot.value(forKey: key, in: tree) }
            try attempt { _ = try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } }
            try attempt { _ = try snapshot.valueByteCount(forKey: key, in: tree) }
            try attempt { try stream(snapshot, key, tree) }
            try attempt { try part(snapshot, key, tree) }
        }
        try attempt { _ = try snapshot.count(of: tree) }
        try attempt { _ = try snapshot.values(forKeys: keys, in: tree) }
        try attempt { try snapshot.withValues(forKeys: keys, in: tree) { _, _ in } }
        try attempt { _ = try snapshot.presence(ofKeys: keys, in: tree) }
        try attempt { _ = try snapshot.statistics(of: tree) }
        try attempt { _ = try snapshot.first(in: tree) }
        try attempt { _ = try snapshot.last(in: tree) }
        for order in [ScanOrder.ascending, .descending] {
            try attempt { try snapshot.scan(tree, order: order) { _, _ in .next } }
            let range = KeyRange.from("b", upTo: "n")
            try attempt { try snapshot.scan(tree, range, order: order) { _, _ in .next } }
            try attempt { try scanRuns(snapshot, tree, .all, order) }
            try attempt { try scanRuns(snapshot, tree, range, order) }
        }
    }

    /// Takes every key and value out of the lent bytes, which traps if a place lies outside them.
    private func scanRuns(
        _ snapshot: borrowing some TreeReader & ~Copyable, _ tree: Tree, _ range: KeyRange,
        _ order: ScanOrder
    ) throws {
        try snapshot.scanRuns(tree, range, order: order) { bytes, entries in
            for index in entries.indices {
                _ = bytes.extracting(entries[index].key)
                if let value = entries[index].value { _ = bytes.extracting(value) }
            }
            return .next
        }
    }

    private struct Enough: Error {}

    /// A value can claim any length, so the stream is read only in part.
    private func stream(
        _ snapshot: borrowing some TreeReader & ~Copyable, _ key: [UInt8], _ tree: Tree
    ) throws {
        var count = 0
        do {
            _ = try snapshot.streamValue(forKey: key, in: tree) { part in
                count += part.byteCount
                if count > 4 << 20 { throw Enough() }
            }
        } catch is Enough {}
    }

    private func part(
        _ snapshot: borrowing some TreeReader & ~Copyable, _ key: [UInt8], _ tree: Tree
    ) throws {
        var buffer = [UInt8](repeating: 0, count: 5000)
        for offset in [0, 4000, 1 << 40, Int.max] {
            _ = try snapshot.readValue(forKey: key, in: tree, at: offset, into: &buffer)
        }
    }

    private func walk(_ cursor: consuming Cursor) throws {
        var cursor = cursor
        var isThere = try cursor.moveToFirst()
        for _ in 0..<5000 where isThere {
            try cursor.withKey { _ in }
            try cursor.withValue { _ in }
            isThere = try cursor.moveToNext()
        }
        for key in ["a", "m", "zz"] where try cursor.seek(to: key) {
            _ = try cursor.moveToPrevious()
        }
        _ = try cursor.moveToLast()
    }
}
