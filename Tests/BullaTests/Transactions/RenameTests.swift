import Bulla
import BullaTestSupport
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
            let tree = try change.openOrCreateTree(named: "old")
            for number in 0..<5000 { try change.put("value", forKey: "key \(number)", in: tree) }
            try change.put([UInt8](repeating: 7, count: 100_000), forKey: "large", in: tree)
        }
        try store.write { try $0.renameTree(named: "old", to: "new") }
        try store.close()
        let again = try self.store(kind)
        try again.read { snapshot throws in
            #expect(try snapshot.treeNames() == ["new"])
            #expect(try snapshot.count(of: snapshot.tree(named: "new")) == 5001)
        }
        #expect(try again.check().isSound)
        #expect(try again.info.treeCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `stays open under the handles that the transaction had`(kind: StoreKind) throws {
        let store = try store(kind)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "old")
            try change.put("1", forKey: "a", in: tree)
            try change.renameTree(named: "old", to: "new")
            try change.put("2", forKey: "b", in: tree)
            #expect(try change.treeIfPresent(named: "old") == nil)
            #expect(try change.value(forKey: "a", in: change.tree(named: "new")) == Array("1".utf8))
            // The name is free for another tree.
            let other = try change.openOrCreateTree(named: "old")
            #expect(try change.count(of: other) == 0)
            #expect(try change.count(of: tree) == 2)
        }
        #expect(try store.read { try $0.treeNames() } == ["new", "old"])
        #expect(try store.check().isSound)
    }

    @Test func `to a name that is taken, its own or a wrong one stays what it was`() throws {
        let store = try store(.gcm)
        try store.write { change in
            try change.openOrCreateTree(named: "a")
            try change.openOrCreateTree(named: "b")
            #expect(refusal { try change.renameTree(named: "a", to: "b") }?.code == .treeExists)
            #expect(refusal { try change.renameTree(named: "a", to: "a") }?.code == .treeExists)
            #expect(refusal { try change.renameTree(named: "a", to: "") }?.code == .invalidArgument)
            let long = [UInt8](repeating: 1, count: 256)
            #expect(
                refusal { try change.renameTree(named: "a", to: long) }?.code == .invalidArgument)
            #expect(refusal { try change.renameTree(named: "c", to: "d") }?.code == .treeNotFound)
            // The transaction can go on.
            try change.renameTree(named: "a", to: "c")
        }
        #expect(try store.read { try $0.treeNames() } == ["b", "c"])
    }

    @Test(arguments: StoreKind.allCases)
    func `in a part that is undone has its former name again`(kind: StoreKind) throws {
        struct Undo: Error {}
        let store = try store(kind)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "old")
            try change.put("1", forKey: "a", in: tree)
            do {
                try change.withSavepoint { change in
                    try change.renameTree(named: "old", to: "new")
                    try change.put("2", forKey: "b", in: tree)
                    throw Undo()
                }
            } catch is Undo {}
            #expect(try change.treeNames() == ["old"])
            #expect(try change.count(of: tree) == 1)
            try change.withSavepoint { try $0.renameTree(named: "old", to: "kept") }
        }
        #expect(try store.read { try $0.treeNames() } == ["kept"])
        #expect(try store.check().isSound)
    }

    @Test func `keeps its former name for snapshots that are older`() throws {
        let store = try store(.gcm)
        try store.write { try $0.openOrCreateTree(named: "old") }
        let before = try store.makeSnapshot()
        try store.write { try $0.renameTree(named: "old", to: "new") }
        #expect(try before.treeNames() == ["old"])
        #expect(try store.read { try $0.treeNames() } == ["new"])
    }

    @Test func `takes the name of one that was dropped before in the transaction`() throws {
        let store = try store(.gcm)
        try store.write { change in
            try change.put("1", forKey: "a", in: change.openOrCreateTree(named: "a"))
            try change.put("2", forKey: "b", in: change.openOrCreateTree(named: "b"))
        }
        try store.write { change in
            #expect(try change.dropTree(named: "b"))
            try change.renameTree(named: "a", to: "b")
        }
        try store.read { snapshot throws in
            #expect(try snapshot.treeNames() == ["b"])
            #expect(
                try snapshot.value(forKey: "a", in: snapshot.tree(named: "b")) == Array("1".utf8))
        }
        #expect(try store.check().isSound)
    }
}
