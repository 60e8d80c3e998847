import Bulla
import BullaTestSupport
import Testing

/// Trees have numbers, which are given once.
@Suite struct `The numbers of trees` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private func numbers(_ store: Store) throws -> [String: Int] {
        try store.read { snapshot in
            var numbers: [String: Int] = [:]
            for name in try snapshot.treeNames() {
                numbers[String(decoding: name, as: UTF8.self)] =
                    try snapshot.tree(named: name).number
            }
            return numbers
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `stay with a rename, and are not given again after a drop`(kind: StoreKind) throws {
        let store = try kind.open(path)
        try store.write { change in
            #expect(try change.openOrCreateTree(named: "a").number == 1)
            #expect(try change.openOrCreateTree(named: "b").number == 2)
            #expect(try change.openOrCreateTree(named: "a").number == 1)
        }
        try store.write { change in
            try change.renameTree(named: "a", to: "c")
            try change.dropTree(named: "b")
            #expect(try change.openOrCreateTree(named: "b").number == 3)
            #expect(try change.tree(named: "c").number == 1)
            try change.put("x", forKey: "y", in: try change.tree(named: "c"))
        }
        #expect(try numbers(store) == ["c": 1, "b": 3])
        try store.write { _ = try $0.deleteRange(.all, in: try $0.tree(named: "c")) }
        #expect(try numbers(store) == ["c": 1, "b": 3])
        try store.write { try $0.dropTree(named: "b") }
        try store.close()
        let again = try kind.open(path)
        try again.write { #expect(try $0.createTree(named: "d").number == 4) }
        #expect(try again.check().isSound)
        try again.close()
    }

    @Test func `of trees that a savepoint takes back are not given to the next`() throws {
        let store = try StoreKind.gcm.open(path)
        try store.write { change in
            try? change.savepoint { change in
                #expect(try change.createTree(named: "a").number == 1)
                throw CancellationError()
            }
            #expect(try change.createTree(named: "b").number == 2)
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
            try copy.write { #expect(try $0.createTree(named: "n").number == 5, "\(name)") }
            #expect(try copy.check().isSound)
            try copy.close()
        }
    }
}
