import Bulla
import Testing

@Suite struct `A write transaction` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private struct Abort: Error {}
    private typealias Change = (key: [UInt8], expected: [UInt8]?, new: [UInt8]?)

    private func open(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(scratch.path("\(kind.rawValue).bulla"))
        try store.write { change in
            let tree = try change.createTree("pets")
            try change.put("rex", "a dog", in: tree)
            try change.put("tom", "a cat", in: tree)
        }
        return store
    }

    private func value(_ store: Store, _ key: String) throws -> String? {
        try store.read { snapshot in
            try snapshot.get(key, in: try snapshot.tree("pets"))
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `sees its own changes, which nobody else does`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            let tree = try change.tree("pets")
            try change.put("rex", "a good dog", in: tree)
            #expect(try change.delete("tom", in: tree))
            #expect(try change.get("rex", in: tree) == Array("a good dog".utf8))
            #expect(try change.get("tom", in: tree) == nil)
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
                let tree = try change.tree("pets")
                _ = try change.deleteRange(.all, in: tree)
                _ = try change.dropTree("pets")
                try change.put("a", "b", in: try change.createTree("others"))
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
            try change.put("rex", "gone", in: try change.createTree("pets"))
        }
        #expect(try value(store, "rex") == "a dog")
        // The right to write went with it.
        try store.write { try $0.put("rex", "back", in: try $0.tree("pets")) }
        #expect(try value(store, "rex") == "back")
    }

    @Test func `that is held commits when it is told to`() throws {
        let store = try open(.gcm)
        var change = try store.beginWrite()
        let tree = try change.tree("pets")
        try change.put("rex", "held", in: tree)
        let commit = try change.commit()
        #expect(try store.info.commit == commit)
        #expect(try value(store, "rex") == "held")
    }

    @Test func `that changes nothing is no commit`() throws {
        let store = try open(.gcm)
        let commit = try store.info.commit
        try store.write { change in
            let tree = try change.tree("pets")
            #expect(try !change.insert("rex", "another", in: tree))
            #expect(try !change.delete("none", in: tree))
            #expect(try !change.compareAndSet("rex", expected: nil, new: [1], in: tree))
            #expect(try change.deleteRange(.prefix("x"), in: tree) == 0)
            #expect(try !change.dropTree("none"))
        }
        #expect(try store.info.commit == commit)
        #expect(try store.beginWrite().commit() == commit)
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
        try store.write { _ = try $0.createTree("after") }
    }

    @Test(arguments: [Durability.full, .twoPhase, .relaxed(within: .milliseconds(5))])
    func `is there after a reopening, however durable it was asked to be`(
        durability: Durability
    ) throws {
        let path = scratch.path("durable.bulla")
        let store = try StoreKind.ctrHMAC.open(path)
        for number in 0..<5 {
            try store.write(durability: durability) { change in
                try change.put("n", "\(number)", in: try change.createTree("t"))
            }
        }
        try store.close()
        let again = try StoreKind.ctrHMAC.open(path)
        #expect(try again.read { try $0.get("n", in: try $0.tree("t")) } == Array("4".utf8))
    }

    @Test func `compares and sets a list as a whole`() throws {
        let store = try open(.gcm)
        try store.write { change in
            let tree = try change.tree("pets")
            let dog = Array("a dog".utf8)
            let mixed: [Change] = [(Array("rex".utf8), dog, [1]), (Array("tom".utf8), [9], [2])]
            #expect(try !change.compareAndSet(mixed, in: tree))
            #expect(try change.get("rex", in: tree) == dog)
            let right: [Change] = [(Array("rex".utf8), dog, nil), (Array("new".utf8), nil, [2])]
            #expect(try change.compareAndSet(right, in: tree))
            #expect(try change.get("rex", in: tree) == nil)
            #expect(try change.get("new", in: tree) == [2])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `drops trees and makes them anew under the same name`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            #expect(try change.dropTree("pets"))
            #expect(try change.treeIfExists("pets") == nil)
            #expect(try !change.dropTree("pets"))
            let tree = try change.createTree("pets")
            #expect(try change.count(of: tree) == 0)
            #expect(try change.first(in: tree) == nil)
            try change.put("new", "one", in: tree)
            _ = try change.createTree("empty")
            #expect(try change.treeNames() == ["empty", "pets"])
        }
        #expect(try value(store, "rex") == nil)
        #expect(try value(store, "new") == "one")
        #expect(try store.info.treeCount == 2)
        #expect(try store.read { try $0.count(of: try $0.tree("empty")) } == 0)
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
        let tree = try change.createTree("pets")
        let closing = refusal { try store.close() }
        // Whatever takes the number of a descriptor that was closed.
        let others = try (0..<8).map { try StoreKind.plain.open(scratch.path("other \($0)")) }
        for other in others { try other.write { _ = try $0.createTree("empty") } }
        var code: BullaError.Code?
        do {
            try change.put("rex", [UInt8](repeating: 1, count: 100_000), in: tree)
            try change.commit()
        } catch { code = error.code }
        // Either the store waited for the write, or the write was told.
        #expect(closing?.code == .busy ? code == nil : code == .closed)
        for other in others { #expect(try other.check().isSound) }
        try store.close()
        let again = try StoreKind.gcm.open(path)
        #expect(try again.read { try $0.treeNames() } == (code == nil ? ["pets"] : []))
        #expect(try again.check().isSound)
    }
}
