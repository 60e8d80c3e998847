import Bulla
import BullaTestSupport
import Testing

/// A handle is valid only in the transaction that returned it.
@Suite struct `A tree's handle` {
    private let scratch: Scratch
    private let store: Store

    init() throws {
        scratch = try Scratch()
        store = try StoreKind.gcm.open(scratch.path("handles.bulla"))
        try store.write { change in
            for name in ["one", "two", "three"] {
                try change.put(name, forKey: "key", in: try change.openOrCreateTree(named: name))
            }
        }
    }

    private struct Abort: Error {}

    @Test func `of a committed write is refused by a snapshot of that commit`() throws {
        let tree = try store.write { change in
            let tree = try change.openOrCreateTree(named: "new")
            try change.put("value", forKey: "key", in: tree)
            return tree
        }
        expectRefusals(try store.makeSnapshot(), tree)
    }

    @Test func `of a snapshot is refused by the write after it`() throws {
        let tree = try store.read { try $0.tree(named: "two") }
        try store.write { change in
            #expect(
                refusal { _ = try change.value(forKey: "key", in: tree) }?.code == .invalidArgument)
            try expectRefusals(of: &change, tree)
        }
    }

    @Test func `of an older snapshot is refused by a newer one`() throws {
        let older = try store.makeSnapshot()
        let tree = try older.tree(named: "one")
        try store.write { try $0.put("changed", forKey: "key", in: try $0.tree(named: "one")) }
        expectRefusals(try store.makeSnapshot(), tree)
        #expect(try older.value(forKey: "key", in: tree) == Array("one".utf8))
    }

    @Test func `of an aborted write is refused by the next, which has its number`() throws {
        var tree: Tree?
        #expect(throws: Abort.self) {
            try store.write { change in
                for name in ["two", "three", "four", "five"] {
                    tree = try change.openOrCreateTree(named: name)
                }
                throw Abort()
            }
        }
        let stale = try #require(tree)
        try store.write { change in
            _ = try change.tree(named: "one")
            try expectRefusals(of: &change, stale)
            try change.openOrCreateTree(named: "a"); try change.openOrCreateTree(named: "b")
            try change.openOrCreateTree(named: "c"); try change.openOrCreateTree(named: "d")
            try expectRefusals(of: &change, stale)
        }
    }

    @Test func `of another store is refused, whatever its number`() throws {
        let other = try StoreKind.gcm.open(scratch.path("other.bulla"))
        try other.write { try $0.openOrCreateTree(named: "one") }
        let tree = try store.read { try $0.tree(named: "one") }
        expectRefusals(try other.makeSnapshot(), tree)
        // The other store's next write has the same number as this store's next snapshot.
        try store.write { try $0.openOrCreateTree(named: "more") }
        let newer = try store.read { try $0.tree(named: "one") }
        try other.write { change in try expectRefusals(of: &change, newer) }
        #expect(try other.check().isSound)
    }

    @Test func `of a dropped tree is refused in the same write`() throws {
        try store.write { change in
            let tree = try change.tree(named: "one")
            #expect(try change.dropTree(named: "one"))
            #expect(refusal { try change.put("b", forKey: "a", in: tree) }?.code == .treeNotFound)
            let again = try change.openOrCreateTree(named: "one")
            #expect(refusal { _ = try change.count(of: tree) }?.code == .treeNotFound)
            #expect(try change.count(of: again) == 0)
        }
    }

    private func expectRefusals(
        _ snapshot: borrowing Snapshot, _ tree: Tree,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let codes = [
            code { _ = try snapshot.value(forKey: "key", in: tree) },
            code { _ = try snapshot.count(of: tree) },
            code { try snapshot.scan(tree) { _, _ in .next } },
            code { _ = try snapshot.makeCursor(in: tree) },
        ]
        #expect(
            codes == [BullaError.Code?](repeating: .invalidArgument, count: 4),
            sourceLocation: sourceLocation)
    }

    private func expectRefusals(
        of change: inout WriteTransaction, _ tree: Tree,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let codes = [
            code { try change.put("wrong", forKey: "key", in: tree) },
            code { try change.delete("key", in: tree) },
            code { try change.deleteRange(.all, in: tree) },
            code { try change.putStream(forKey: "key", in: tree) { _ in } },
        ]
        #expect(
            codes == [BullaError.Code?](repeating: .invalidArgument, count: 4),
            sourceLocation: sourceLocation)
    }

    private func code(_ body: () throws -> Void) -> BullaError.Code? { refusal(body)?.code }
}
