import Bulla
import Testing

/// A handle is of use with the transaction that gave it, and with no other.
@Suite struct `A tree's handle` {
    private let scratch: Scratch
    private let store: Store

    init() throws {
        scratch = try Scratch()
        store = try StoreKind.gcm.open(scratch.path("handles.bulla"))
        try store.write { change in
            for name in ["one", "two", "three"] {
                try change.put("key", name, in: try change.createTree(name))
            }
        }
    }

    private struct Abort: Error {}

    @Test func `of a committed write is refused by a snapshot of that commit`() throws {
        let tree = try store.write { change in
            let tree = try change.createTree("new")
            try change.put("key", "value", in: tree)
            return tree
        }
        expectRefusals(try store.snapshot(), tree)
    }

    @Test func `of a snapshot is refused by the write after it`() throws {
        let tree = try store.read { try $0.tree("two") }
        try store.write { change in
            #expect(refusal { _ = try change.get("key", in: tree) }?.code == .invalidArgument)
            try expectRefusals(of: &change, tree)
        }
    }

    @Test func `of an older snapshot is refused by a newer one`() throws {
        let older = try store.snapshot()
        let tree = try older.tree("one")
        try store.write { try $0.put("key", "changed", in: try $0.tree("one")) }
        expectRefusals(try store.snapshot(), tree)
        #expect(try older.get("key", in: tree) == Array("one".utf8))
    }

    @Test func `of an aborted write is refused by the next, which has its number`() throws {
        var tree: Tree?
        #expect(throws: Abort.self) {
            try store.write { change in
                for name in ["two", "three", "four", "five"] { tree = try change.createTree(name) }
                throw Abort()
            }
        }
        let stale = try #require(tree)
        try store.write { change in
            _ = try change.tree("one")
            try expectRefusals(of: &change, stale)
            _ = try change.createTree("a"); _ = try change.createTree("b")
            _ = try change.createTree("c"); _ = try change.createTree("d")
            try expectRefusals(of: &change, stale)
        }
    }

    @Test func `of another store is refused, whatever its number`() throws {
        let other = try StoreKind.gcm.open(scratch.path("other.bulla"))
        try other.write { _ = try $0.createTree("one") }
        let tree = try store.read { try $0.tree("one") }
        expectRefusals(try other.snapshot(), tree)
        // The other's next write has the number of this store's snapshot.
        try store.write { _ = try $0.createTree("more") }
        let newer = try store.read { try $0.tree("one") }
        try other.write { change in try expectRefusals(of: &change, newer) }
        #expect(try other.check().isSound)
    }

    @Test func `of a dropped tree is refused in the same write`() throws {
        try store.write { change in
            let tree = try change.tree("one")
            #expect(try change.dropTree("one"))
            #expect(refusal { try change.put("a", "b", in: tree) }?.code == .treeNotFound)
            let again = try change.createTree("one")
            #expect(refusal { _ = try change.count(of: tree) }?.code == .treeNotFound)
            #expect(try change.count(of: again) == 0)
        }
    }

    private func expectRefusals(
        _ snapshot: borrowing Snapshot, _ tree: Tree,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let codes = [
            code { _ = try snapshot.get("key", in: tree) },
            code { _ = try snapshot.count(of: tree) },
            code { try snapshot.scan(tree) { _, _ in .next } },
            code { _ = try snapshot.cursor(in: tree) },
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
            code { try change.put("key", "wrong", in: tree) },
            code { _ = try change.delete("key", in: tree) },
            code { _ = try change.deleteRange(.all, in: tree) },
            code { try change.putStream(forKey: "key", in: tree) { _ in } },
        ]
        #expect(
            codes == [BullaError.Code?](repeating: .invalidArgument, count: 4),
            sourceLocation: sourceLocation)
    }

    private func code(_ body: () throws -> Void) -> BullaError.Code? { refusal(body)?.code }
}
