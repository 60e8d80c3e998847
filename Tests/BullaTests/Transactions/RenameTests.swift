import Bulla
import Testing

@Suite struct `A tree that is renamed` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func store(_ kind: StoreKind) throws -> Store { try kind.open(scratch.path("s")) }

    @Test(arguments: StoreKind.allCases)
    func `has its entries under the new name alone, also after opening anew`(
        kind: StoreKind
    ) throws {
        let store = try store(kind)
        try store.write { change in
            let tree = try change.createTree("old")
            for number in 0..<5000 { try change.put("key \(number)", "value", in: tree) }
            try change.put("large", [UInt8](repeating: 7, count: 100_000), in: tree)
        }
        try store.write { try $0.renameTree("old", to: "new") }
        try store.close()
        let again = try self.store(kind)
        try again.read { snapshot throws in
            #expect(try snapshot.treeNames() == ["new"])
            #expect(try snapshot.count(of: snapshot.tree("new")) == 5001)
        }
        #expect(try again.check().isSound)
        #expect(try again.info.treeCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `stays open under the handles that the transaction had`(kind: StoreKind) throws {
        let store = try store(kind)
        try store.write { change in
            let tree = try change.createTree("old")
            try change.put("a", "1", in: tree)
            try change.renameTree("old", to: "new")
            try change.put("b", "2", in: tree)
            #expect(try change.treeIfExists("old") == nil)
            #expect(try change.get("a", in: change.tree("new")) == Array("1".utf8))
            // The name is free for another.
            let other = try change.createTree("old")
            #expect(try change.count(of: other) == 0)
            #expect(try change.count(of: tree) == 2)
        }
        #expect(try store.read { try $0.treeNames() } == ["new", "old"])
        #expect(try store.check().isSound)
    }

    @Test func `to a name that is taken, its own or a wrong one stays what it was`() throws {
        let store = try store(.gcm)
        try store.write { change in
            _ = try change.createTree("a")
            _ = try change.createTree("b")
            #expect(refusal { try change.renameTree("a", to: "b") }?.code == .invalidArgument)
            #expect(refusal { try change.renameTree("a", to: "a") }?.code == .invalidArgument)
            #expect(refusal { try change.renameTree("a", to: "") }?.code == .invalidArgument)
            let long = [UInt8](repeating: 1, count: 256)
            #expect(refusal { try change.renameTree("a", to: long) }?.code == .invalidArgument)
            #expect(refusal { try change.renameTree("c", to: "d") }?.code == .treeNotFound)
            // The transaction goes on.
            try change.renameTree("a", to: "c")
        }
        #expect(try store.read { try $0.treeNames() } == ["b", "c"])
    }

    @Test(arguments: StoreKind.allCases)
    func `in a part that is undone has its former name again`(kind: StoreKind) throws {
        struct Undo: Error {}
        let store = try store(kind)
        try store.write { change in
            let tree = try change.createTree("old")
            try change.put("a", "1", in: tree)
            do {
                try change.savepoint { change in
                    try change.renameTree("old", to: "new")
                    try change.put("b", "2", in: tree)
                    throw Undo()
                }
            } catch is Undo {}
            #expect(try change.treeNames() == ["old"])
            #expect(try change.count(of: tree) == 1)
            try change.savepoint { try $0.renameTree("old", to: "kept") }
        }
        #expect(try store.read { try $0.treeNames() } == ["kept"])
        #expect(try store.check().isSound)
    }

    @Test func `keeps its former name for snapshots that are older`() throws {
        let store = try store(.gcm)
        try store.write { _ = try $0.createTree("old") }
        let before = try store.snapshot()
        try store.write { try $0.renameTree("old", to: "new") }
        #expect(try before.treeNames() == ["old"])
        #expect(try store.read { try $0.treeNames() } == ["new"])
    }

    @Test func `takes the name of one that was dropped before in the transaction`() throws {
        let store = try store(.gcm)
        try store.write { change in
            try change.put("a", "1", in: change.createTree("a"))
            try change.put("b", "2", in: change.createTree("b"))
        }
        try store.write { change in
            #expect(try change.dropTree("b"))
            try change.renameTree("a", to: "b")
        }
        try store.read { snapshot throws in
            #expect(try snapshot.treeNames() == ["b"])
            #expect(try snapshot.get("a", in: snapshot.tree("b")) == Array("1".utf8))
        }
        #expect(try store.check().isSound)
    }
}
