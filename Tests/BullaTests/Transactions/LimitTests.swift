import Bulla
import BullaTestSupport
import Testing

@Suite struct `A limit` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreOptions.pageByteCounts, StoreKind.allCases)
    func `30. of keys is a quarter of a page, and lets any of them in`(
        pageByteCount: Int, kind: StoreKind
    ) throws {
        let store = try kind.open(scratch.path("keys.bulla"), pageByteCount: pageByteCount)
        let limit = try store.info.keyByteLimit
        #expect(limit == pageByteCount / 4)
        let longest = [UInt8](repeating: 0xFF, count: limit)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for key in [[], longest + [0], longest + longest] as [[UInt8]] {
                #expect(
                    refusal { try change.put("v", forKey: key, in: tree) }?.code == .keyTooLarge)
                #expect(
                    refusal { try change.insert("v", forKey: key, in: tree) }?.code
                        == .keyTooLarge)
                #expect(
                    refusal { try change.putStream(forKey: key, in: tree) { _ in } }?.code
                        == .keyTooLarge)
                // Such a key cannot exist; looking it up is no error.
                #expect(try change.value(forKey: key, in: tree) == nil)
                #expect(try !change.deleteIfPresent(key, in: tree))
            }
            try change.put("longest", forKey: longest, in: tree)
        }
        #expect(
            try store.read { try $0.value(forKey: longest, in: try $0.tree(named: "t")) }
                == Array("longest".utf8))
    }

    /// However long the key is, deleting it does not outgrow the log.
    @Test(arguments: StoreKind.allCases)
    func `of keys makes deleting a longer one no change`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        try store.write { _ = try $0.openOrCreateTree(named: "t") }
        let commit = try store.info.commit
        let key = [UInt8](repeating: 1, count: 4 << 20)
        try store.write { change in
            let tree = try change.tree(named: "t")
            try change.delete(key, in: tree)
            #expect(try !change.deleteIfPresent(key, in: tree))
        }
        #expect(try store.info.commit == commit)
        try store.close()
    }

    @Test func `of tree names is 255 bytes`() throws {
        let store = try StoreKind.gcm.open(scratch.path("names.bulla"))
        let longest = [UInt8](repeating: 0xC3, count: 255)
        try store.write { change in
            for name in [[], longest + [1]] as [[UInt8]] {
                #expect(
                    refusal { try change.openOrCreateTree(named: name) }?.code
                        == .invalidArgument)
                #expect(refusal { _ = try change.tree(named: name) }?.code == .invalidArgument)
            }
            try change.put("b", forKey: "a", in: try change.openOrCreateTree(named: longest))
            try change.openOrCreateTree(named: [0])
        }
        try store.read { snapshot in
            let tree = try snapshot.tree(named: longest)
            #expect(try snapshot.value(forKey: "a", in: tree) == Array("b".utf8))
            #expect(refusal { _ = try snapshot.tree(named: "none") }?.code == .treeNotFound)
            #expect(refusal { _ = try snapshot.tree(named: "") }?.code == .invalidArgument)
            let names = try snapshot.treeNames()
            #expect(names.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of what is lent as a whole is 16 MiB`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("lent.bulla"), pageByteCount: 65536)
        let limit = 16 << 20
        let part = [UInt8](repeating: 0xAB, count: 1 << 20)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for (key, extra) in [("at", 0), ("above", 1)] {
                try change.putStream(forKey: key, in: tree) { write in
                    for _ in 0..<16 { try part.withBytes { try write($0) } }
                    try [UInt8](repeating: 1, count: extra).withBytes { try write($0) }
                }
            }
        }
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            #expect(try snapshot.withValue(forKey: "at", in: tree) { $0.byteCount } == limit)
            #expect(
                refusal { _ = try snapshot.value(forKey: "above", in: tree) }?.code
                    == .valueTooLarge)
            #expect(
                refusal { _ = try snapshot.withValue(forKey: "above", in: tree) { _ in } }?.code
                    == .valueTooLarge)
            #expect(refusal { try snapshot.scan(tree) { _, _ in .next } }?.code == .valueTooLarge)
            #expect(try snapshot.valueByteCount(forKey: "above", in: tree) == limit + 1)
            var count = 0
            #expect(try snapshot.streamValue(forKey: "above", in: tree) { count += $0.byteCount })
            #expect(count == limit + 1)
            var end = [UInt8](repeating: 0, count: 10)
            #expect(
                try snapshot.readValue(forKey: "above", in: tree, at: limit - 2, into: &end) == 3)
            #expect(end.prefix(3) == [0xAB, 0xAB, 1])
        }
        try store.write { change in
            let tree = try change.tree(named: "t")
            // The value counts as different from a shorter value, and from no value at all.
            for expected in [nil, [1]] as [[UInt8]?] {
                #expect(
                    try !change.compareAndSet(
                        forKey: "above", expected: expected, new: nil, in: tree))
            }
        }
    }

    /// The range has keys in pages and, if `isLogged`, also a key in the log.
    @Test(arguments: StoreKind.allCases, [false, true])
    func `of what is lent as a whole keeps no range from being deleted`(
        kind: StoreKind, isLogged: Bool
    ) throws {
        let store = try kind.open(scratch.path("deleted.bulla"), pageByteCount: 65536)
        let part = [UInt8](repeating: 0xAB, count: 1 << 20)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for key in ["a", "b", "d"] { try change.put("v", forKey: key, in: tree) }
            try change.putStream(forKey: "c", in: tree) { write in
                for _ in 0..<17 { try part.withBytes { try write($0) } }
            }
        }
        try store.write { change in
            let tree = try change.tree(named: "t")
            if isLogged { try change.put("w", forKey: "b", in: tree) }
            #expect(try change.deleteRange(.from("b", through: "c"), in: tree) == 2)
            #expect(try change.deleteRange(.from("b", through: "c"), in: tree) == 0)
            #expect(try change.contains("a", in: tree))
            #expect(try change.count(of: tree) == 2)
        }
        #expect(try store.check().isSound)
    }

    @Test func `of a part's offset is that it is not negative`() throws {
        let store = try StoreKind.gcm.open(scratch.path("parts.bulla"))
        try store.write {
            try $0.put("value", forKey: "k", in: try $0.openOrCreateTree(named: "t"))
        }
        #expect(refusal { _ = try read(store, -1) }?.code == .invalidArgument)
        #expect(try read(store, 3) == 2)
        #expect(try read(store, 5) == 0)
        #expect(try read(store, .max) == 0)
    }

    private func read(_ store: Store, _ offset: Int) throws -> Int? {
        let snapshot = try store.makeSnapshot()
        var buffer = [UInt8](repeating: 0, count: 3)
        return try snapshot.readValue(
            forKey: "k", in: try snapshot.tree(named: "t"), at: offset, into: &buffer)
    }

    @Test func `of a key that is not there does not end a transaction`() throws {
        let store = try StoreKind.gcm.open(scratch.path("goes on.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            #expect(refusal { try change.put("x", forKey: "", in: tree) }?.code == .keyTooLarge)
            try change.put("x", forKey: "after", in: tree)
        }
        #expect(try store.read { try $0.count(of: try $0.tree(named: "t")) } == 1)
    }

    @Test(.enabled(if: TestMode.isLong))
    func `30. of values is 4 GiB less one byte`() throws {
        let store = try StoreKind.gcm.open(scratch.path("values.bulla"), pageByteCount: 65536)
        let part = [UInt8](repeating: 0x77, count: 1 << 24)
        func write(_ extra: Int) throws {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.putStream(forKey: "big", in: tree) { write in
                    for _ in 0..<255 { try part.withBytes { try write($0) } }
                    let rest = [UInt8](part.dropLast(1 - extra))
                    try rest.withBytes { try write($0) }
                }
            }
        }
        #expect(refusal { try write(1) }?.code == .valueTooLarge)
        try write(0)
        let count = try store.read {
            try $0.valueByteCount(forKey: "big", in: try $0.tree(named: "t"))
        }
        #expect(count == 1 << 32 - 1)
    }
}
