import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A savepoint` {
    private struct Undo: Error {}

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func values(_ store: Store) throws -> [String] {
        try store.read { snapshot in
            var values: [String] = []
            try snapshot.scan(try snapshot.tree(named: "t")) { _, value in
                values.append(String(decoding: value.copied(), as: UTF8.self))
                return .next
            }
            return values
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `whose body throws undoes what the body did, and nothing else`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put("before", forKey: "a", in: tree)
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    try change.put("undone", forKey: "a", in: tree)
                    try change.put("undone", forKey: "b", in: tree)
                    throw Undo()
                }
            }
            #expect(try change.count(of: tree) == 1)
            try change.put("after", forKey: "c", in: tree)
        }
        #expect(try values(store) == ["before", "after"])
        #expect(try store.check().isSound)
    }

    @Test func `in one that is undone is undone with it`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    try change.withSavepoint { change in
                        try change.put("inner", forKey: "a", in: tree)
                    }
                    #expect(try change.count(of: tree) == 1)
                    throw Undo()
                }
            }
            #expect(try change.count(of: tree) == 0)
            try change.withSavepoint { change in
                try change.put("outer", forKey: "b", in: tree)
                #expect(throws: Undo.self) {
                    try change.withSavepoint { change in
                        try change.put("inner", forKey: "b", in: tree)
                        throw Undo()
                    }
                }
            }
        }
        #expect(try values(store) == ["outer"])
    }

    /// If a part frees a value with pages of its own, and is then undone, what it stored must not
    /// have overwritten those pages.
    @Test(arguments: StoreKind.allCases)
    func `keeps large values that were given up in it`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        let value = [UInt8](repeating: 1, count: 100_000)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put(value, forKey: "large", in: tree)
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    #expect(try change.deleteIfPresent("large", in: tree))
                    for number in 0..<10 {
                        let other = [UInt8](repeating: 2, count: 100_000)
                        try change.put(other, forKey: "other \(number)", in: tree)
                    }
                    throw Undo()
                }
            }
        }
        #expect(
            try store.read { try $0.value(forKey: "large", in: try $0.tree(named: "t")) } == value)
        #expect(try store.check().isSound)
    }

    @Test func `that is undone takes trees away that it made, and gives back those it dropped`()
        throws
    {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        try store.write { change in
            let old = try change.openOrCreateTree(named: "old")
            try change.put("1", forKey: "a", in: old)
            var made: Tree?
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    made = try change.openOrCreateTree(named: "new")
                    #expect(try change.dropTree(named: "old"))
                    throw Undo()
                }
            }
            let tree = try #require(made)
            #expect(refusal { try change.put("2", forKey: "a", in: tree) }?.code == .treeNotFound)
            // A tree that is made afterwards is not confused with the one that was undone.
            let next = try change.openOrCreateTree(named: "next")
            #expect(next != tree)
            #expect(refusal { try change.put("2", forKey: "a", in: tree) }?.code == .treeNotFound)
            #expect(try change.value(forKey: "a", in: old) == Array("1".utf8))
        }
        let names = try store.read { snapshot in
            var names: [String] = []
            try snapshot.forEachTree { name, _ in
                names.append(String(decoding: name.copied(), as: UTF8.self))
            }
            return names
        }
        #expect(names == ["next", "old"])
    }

    /// A verb that fails half-way breaks a transaction, but undoing the savepoint mends it.
    @Test func `mends a transaction that was broken in it`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            #expect(throws: BullaError.self) {
                try change.withSavepoint { change in
                    try change.put("undone", forKey: "b", in: tree)
                    try change.putStream(forKey: "c", in: tree) { write in
                        let part = [UInt8](repeating: 1, count: 20_000)
                        try part.withBytes { try write($0) }
                        throw BullaError(.io, "the caller's disk is full")
                    }
                }
            }
            try change.put("after", forKey: "a", in: tree)
        }
        #expect(try values(store) == ["after"])
        #expect(try store.check().isSound)
    }

    @Test func `does not make a transaction that does nothing else a commit`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        try store.write { change in try change.openOrCreateTree(named: "t") }
        let before = try store.info.commit
        try store.write { change in
            let tree = try change.tree(named: "t")
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    try change.put("undone", forKey: "a", in: tree)
                    throw Undo()
                }
            }
        }
        #expect(try store.info.commit == before)
    }

    /// A body that swaps the transaction for another can commit the first before the savepoint
    /// ends.
    @Test func `is kept where its body commits`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
        let other = try StoreKind.gcm.open(scratch.path("other.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put("before", forKey: "a", in: tree)
            try change.withSavepoint { change in
                try change.put("in it", forKey: "a", in: tree)
                var taken = try other.beginWrite()
                swap(&change, &taken)
                try taken.commit()
            }
        }
        #expect(try values(store) == ["in it"])
        #expect(try store.check().isSound)
    }
}
