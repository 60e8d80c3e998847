import Bulla
import BullaTestSupport
import Testing

/// Each tree has a number, which is never given to another.
@Suite struct `The numbers of trees` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private func numbers(_ store: Store) throws -> [String: Int] {
        try store.read { snapshot in
            var numbers: [String: Int] = [:]
            for name in try snapshot.treeNames() {
                numbers["\(name)"] = try snapshot.tree(named: name).number
            }
            return numbers
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `stay with a rename, and are not given again after a drop`(kind: StoreKind) throws {
        let store = try kind.open(path)
        try store.write { change in
            let names = ["a", "b", "a"]
            let numbers = try names.map { try change.openOrCreateTree(named: $0).number }
            #expect(numbers == [1, 2, 1])
        }
        try store.write { change in
            try change.renameTree(named: "a", to: "c")
            try change.dropTree(named: "b")
            let (next, renamed) = (
                try change.openOrCreateTree(named: "b"), try change.tree(named: "c")
            )
            #expect(next.number == 3 && renamed.number == 1)
            try change.put("x", forKey: "y", in: try change.tree(named: "c"))
        }
        #expect(try numbers(store) == ["c": 1, "b": 3])
        try store.write { _ = try $0.deleteRange(.all, in: try $0.tree(named: "c")) }
        #expect(try numbers(store) == ["c": 1, "b": 3])
        try store.write { try $0.dropTree(named: "b") }
        try store.close()
        let again = try kind.open(path)
        let number = try again.write { try $0.createTree(named: "d").number }
        #expect(number == 4)
        #expect(try again.check().isSound)
        try again.close()
    }

    @Test func `of trees that a savepoint takes back are not given to the next`() throws {
        let store = try StoreKind.gcm.open(path)
        try store.write { change in
            try? change.withSavepoint { change in
                let tree = try change.createTree(named: "a")
                #expect(tree.number == 1)
                throw CancellationError()
            }
            let tree = try change.createTree(named: "b")
            #expect(tree.number == 2)
        }
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `go over into compacted, restored and salvaged copies`(kind: StoreKind) throws {
        let store = try kind.open(path)
        try store.write { change in
            for name in ["z", "y", "x"] {
                let tree = try change.createTree(named: name)
                try change.put("value", forKey: "key", in: tree)
            }
            try change.dropTree(named: "y")
            try change.createTree(named: "w")
            try change.dropTree(named: "w")
        }
        let expected = ["z": 1, "x": 3]
        #expect(try numbers(store) == expected)
        let key = try kind.key()
        try store.compact(to: scratch.path("compact"), key: key)
        _ = try store.backup(to: scratch.path("backup"))
        try store.close()
        try Store.restore(
            from: [scratch.path("backup")], to: scratch.path("restored"), key: key)
        _ = try Store.salvage(from: path, to: scratch.path("salvaged"), key: key)
        for name in ["compact", "restored", "salvaged"] {
            let copy = try kind.open(scratch.path(name))
            #expect(try numbers(copy) == expected, "\(name)")
            let number = try copy.write { try $0.createTree(named: "n").number }
            #expect(number == 5, "\(name)")
            #expect(try copy.check().isSound)
            try copy.close()
        }
    }
}
