import Bulla
import BullaTestSupport
import Testing

@Suite struct `A write transaction` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private struct Abort: Error {}
    private typealias Change = (key: [UInt8], expected: [UInt8]?, new: [UInt8]?)

    private func open(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(scratch.path("\(kind.rawValue).bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "pets")
            try change.put("a dog", forKey: "rex", in: tree)
            try change.put("a cat", forKey: "tom", in: tree)
        }
        return store
    }

    private func value(_ store: Store, _ key: String) throws -> String? {
        try store.read { snapshot in
            try snapshot.value(forKey: key, in: try snapshot.tree(named: "pets"))
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `sees its own changes, which nobody else does`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            let tree = try change.tree(named: "pets")
            try change.put("a good dog", forKey: "rex", in: tree)
            #expect(try change.deleteIfPresent("tom", in: tree))
            #expect(try change.value(forKey: "rex", in: tree) == Array("a good dog".utf8))
            #expect(try change.value(forKey: "tom", in: tree) == nil)
            #expect(try change.count(of: tree) == 1)
            #expect(try value(store, "rex") == "a dog")
            #expect(try value(store, "tom") == "a cat")
        }
        #expect(try value(store, "rex") == "a good dog")
        #expect(try value(store, "tom") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `that throws leaves nothing behind`(kind: StoreKind) throws {
        let store = try open(kind)
        let commit = try store.info.commit
        #expect(throws: Abort.self) {
            try store.write { change in
                let tree = try change.tree(named: "pets")
                try change.deleteRange(.all, in: tree)
                try change.dropTree(named: "pets")
                try change.put("b", forKey: "a", in: try change.openOrCreateTree(named: "others"))
                throw Abort()
            }
        }
        #expect(try store.info.commit == commit)
        #expect(try value(store, "rex") == "a dog")
        #expect(try store.read { try $0.treeNames() } == ["pets"])
    }

    @Test func `that goes away without a commit leaves nothing behind`() throws {
        let store = try open(.gcm)
        do {
            var change = try store.beginWrite()
            try change.put("gone", forKey: "rex", in: try change.openOrCreateTree(named: "pets"))
        }
        #expect(try value(store, "rex") == "a dog")
        // The right to write ended with the transaction.
        try store.write { try $0.put("back", forKey: "rex", in: try $0.tree(named: "pets")) }
        #expect(try value(store, "rex") == "back")
    }

    @Test func `that is held commits when it is told to`() throws {
        let store = try open(.gcm)
        var change = try store.beginWrite()
        let tree = try change.tree(named: "pets")
        try change.put("held", forKey: "rex", in: tree)
        let commit = try change.commit()
        #expect(try store.info.commit == commit)
        #expect(try value(store, "rex") == "held")
    }

    @Test func `that changes nothing is no commit`() throws {
        let store = try open(.gcm)
        let commit = try store.info.commit
        try store.write { change in
            let tree = try change.tree(named: "pets")
            #expect(try !change.insert("another", forKey: "rex", in: tree))
            #expect(try !change.deleteIfPresent("none", in: tree))
            #expect(try !change.compareAndSet(forKey: "rex", expected: nil, new: [1], in: tree))
            #expect(try change.deleteRange(.prefix("x"), in: tree) == 0)
            #expect(try !change.dropTree(named: "none"))
        }
        #expect(try store.info.commit == commit)
        #expect(try store.beginWrite().commit() == commit)
    }

    @Test func `of which a part of a list was set and the rest failed is refused`() throws {
        let store = try open(.gcm)
        let refused = refusal {
            try store.write { change in
                let tree = try change.tree(named: "pets")
                // No key can be empty, so this change fails. If it is the only change of a list,
                // the list changes nothing.
                let failing: Change = ([], nil, [1])
                let first = refusal { _ = try change.compareAndSet([failing], in: tree) }
                #expect(first?.code == .keyTooLarge)
                try change.put("put", forKey: "new", in: tree)
                let second = refusal {
                    _ = try change.compareAndSet(
                        [(key: Array("set".utf8), expected: nil, new: [1]), failing], in: tree)
                }
                #expect(second?.code == .keyTooLarge)
            }
        }
        #expect(refused?.code == .invalidArgument)
        #expect(try value(store, "set") == nil)
        #expect(try value(store, "new") == nil)
    }

    @Test func `keeps out a second writer until its time is up`() throws {
        let store = try StoreKind.gcm.open(scratch.path("busy.bulla")) {
            $0.lockTimeout = .milliseconds(20)
        }
        let change = try store.beginWrite()
        #expect(refusal { _ = try store.beginWrite() }?.code == .busy)
        #expect(refusal { try store.write { _ in } }?.code == .busy)
        _ = try store.read { try $0.treeNames() }
        try change.commit()
        try store.write { try $0.openOrCreateTree(named: "after") }
    }

    @Test(arguments: [Durability.full, .relaxed(within: .milliseconds(5))])
    func `is there after a reopening, however durable it was asked to be`(
        durability: Durability
    ) throws {
        let path = scratch.path("durable.bulla")
        let store = try StoreKind.ctrHMAC.open(path)
        for number in 0..<5 {
            try store.write(durability: durability) { change in
                try change.put(
                    "\(number)", forKey: "n", in: try change.openOrCreateTree(named: "t"))
            }
        }
        try store.close()
        let again = try StoreKind.ctrHMAC.open(path)
        #expect(
            try again.read { try $0.value(forKey: "n", in: try $0.tree(named: "t")) }
                == Array("4".utf8))
    }

    @Test func `deletes what is there, and passes over what is not`() throws {
        let store = try open(.gcm)
        try store.write { change in
            let tree = try change.tree(named: "pets")
            try change.delete("none", in: tree)
            try change.delete("rex", in: tree)
            #expect(try change.value(forKey: "rex", in: tree) == nil)
            try change.put("a cow", forKey: "kim", in: tree)
            try change.delete([Array("rex".utf8), Array("tom".utf8)], in: tree)
            #expect(try change.first(in: tree)?.key == Array("kim".utf8))
            #expect(try change.deleteIfPresent("kim", in: tree))
            #expect(try change.count(of: tree) == 0)
        }
    }

    @Test func `compares and sets a list as a whole`() throws {
        let store = try open(.gcm)
        try store.write { change in
            let tree = try change.tree(named: "pets")
            let dog = Array("a dog".utf8)
            let mixed: [Change] = [(Array("rex".utf8), dog, [1]), (Array("tom".utf8), [9], [2])]
            #expect(try !change.compareAndSet(mixed, in: tree))
            #expect(try change.value(forKey: "rex", in: tree) == dog)
            let right: [Change] = [(Array("rex".utf8), dog, nil), (Array("new".utf8), nil, [2])]
            #expect(try change.compareAndSet(right, in: tree))
            #expect(try change.value(forKey: "rex", in: tree) == nil)
            #expect(try change.value(forKey: "new", in: tree) == [2])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `drops trees and makes them anew under the same name`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            #expect(try change.dropTree(named: "pets"))
            #expect(try change.treeIfPresent(named: "pets") == nil)
            #expect(try !change.dropTree(named: "pets"))
            let tree = try change.openOrCreateTree(named: "pets")
            #expect(try change.count(of: tree) == 0)
            #expect(try change.first(in: tree) == nil)
            try change.put("one", forKey: "new", in: tree)
            try change.openOrCreateTree(named: "empty")
            #expect(try change.treeNames() == ["empty", "pets"])
        }
        #expect(try value(store, "rex") == nil)
        #expect(try value(store, "new") == "one")
        #expect(try store.info.treeCount == 2)
        #expect(try store.read { try $0.count(of: try $0.tree(named: "empty")) } == 0)
    }

    @Test func `creates no tree under a name that is taken, and goes on`() throws {
        let store = try open(.gcm)
        try store.write { change in
            #expect(refusal { try change.createTree(named: "pets") }?.code == .treeExists)
            let tree = try change.createTree(named: "new")
            #expect(refusal { try change.createTree(named: "new") }?.code == .treeExists)
            #expect(refusal { try change.createTree(named: "") }?.code == .invalidArgument)
            try change.put("one", forKey: "key", in: tree)
            try change.dropTree(named: "pets")
            let pets = try change.createTree(named: "pets")
            #expect(try change.count(of: pets) == 0)
        }
        #expect(try store.read { try $0.treeNames() } == ["new", "pets"])
        #expect(try store.read { try $0.count(of: $0.tree(named: "new")) } == 1)
    }

    @Test func `is refused after the store was closed`() throws {
        let store = try open(.gcm)
        try store.close()
        try store.close()
        #expect(refusal { try store.write { _ in } }?.code == .closed)
        #expect(refusal { try store.read { _ in } }?.code == .closed)
        #expect(refusal { _ = try store.info }?.code == .closed)
    }

    @Test func `that is open while the store is closed harms no other file`() throws {
        let path = scratch.path("open.bulla")
        let store = try StoreKind.gcm.open(path) { $0.lockTimeout = .milliseconds(20) }
        var change = try store.beginWrite()
        let tree = try change.openOrCreateTree(named: "pets")
        let closing = refusal { try store.close() }
        // Other files take the numbers of the closed descriptors.
        let others = try (0..<8).map { try StoreKind.plain.open(scratch.path("other \($0)")) }
        for other in others { try other.write { _ = try $0.openOrCreateTree(named: "empty") } }
        var code: BullaError.Code?
        do {
            try change.put([UInt8](repeating: 1, count: 100_000), forKey: "rex", in: tree)
            try change.commit()
        } catch { code = error.code }
        // Either closing the store was refused as busy, or the write was refused as closed.
        #expect(closing?.code == .busy ? code == nil : code == .closed)
        for other in others { #expect(try other.check().isSound) }
        try store.close()
        let again = try StoreKind.gcm.open(path)
        #expect(try again.read { try $0.treeNames() } == (code == nil ? ["pets"] : []))
        #expect(try again.check().isSound)
    }
}
