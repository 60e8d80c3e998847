import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Large values are put faster than they are written: a transaction's own reads must find what is
/// not written yet, and no write may still be pending once it has ended.
@Suite struct `What a transaction writes behind a large value` {
    private struct Undo: Error {}

    /// The length of a value; the value's number of pages is larger than the number of pages that
    /// are sealed together, and is not a multiple of it.
    private static let byteCount = 1_300_000
    private static let kinds: [StoreKind] = [.gcm, .plain]

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func value(_ mark: UInt8, _ byteCount: Int = byteCount) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 3) ^ mark }
    }

    private func expect(_ values: [String: [UInt8]], in store: Store) throws {
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            #expect(try snapshot.count(of: tree) == values.count)
            for (key, value) in values {
                #expect(try snapshot.value(forKey: key, in: tree) == value, "the value of \(key)")
            }
        }
        #expect(try store.check().isSound)
    }

    @Test(arguments: kinds)
    func `is read before the commit`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        // The last value has a single page, and so no index page that points to it.
        let values = ["a": value(1), "b": value(2), "c": value(3, 3000)]
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                try change.put(value, forKey: key, in: tree)
                #expect(try change.value(forKey: key, in: tree) == value)
            }
            for (key, value) in values {
                var part = [UInt8](repeating: 0, count: min(value.count, 9000))
                let start = value.count - part.count
                _ = try change.readValue(forKey: key, in: tree, at: start, into: &part)
                #expect(part == Array(value[start...]))
            }
        }
        try expect(values, in: store)
    }

    @Test(arguments: kinds)
    func `is replaced and deleted before it is written`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for round in UInt8(0)..<4 {
                for key in ["a", "b", "c"] {
                    try change.put(value(round), forKey: key, in: tree)
                }
                #expect(try change.deleteIfPresent("b", in: tree))
            }
        }
        try expect(["a": value(3), "c": value(3)], in: store)
    }

    /// Later values overwrite the pages of those that were undone.
    @Test(arguments: kinds)
    func `is undone with its savepoint`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put(value(1), forKey: "a", in: tree)
            for _ in 0..<4 {
                #expect(throws: Undo.self) {
                    try change.withSavepoint { change in
                        try change.put(value(2), forKey: "a", in: tree)
                        try change.put(value(3), forKey: "b", in: tree)
                        throw Undo()
                    }
                }
            }
            try change.withSavepoint { try $0.put(value(4), forKey: "c", in: tree) }
            try change.put(value(5), forKey: "d", in: tree)
        }
        try expect(["a": value(1), "c": value(4), "d": value(5)], in: store)
    }

    /// A stream that ends half-way gives its pages to the values after it.
    @Test(arguments: kinds)
    func `is given up with its stream`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        let part = value(9)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put(value(1), forKey: "a", in: tree)
            for _ in 0..<3 {
                #expect(throws: Undo.self) {
                    try change.putStream(forKey: "b", in: tree) { write in
                        try part.withBytes { try write($0) }
                        throw Undo()
                    }
                }
            }
            try change.put(value(2), forKey: "c", in: tree)
        }
        try expect(["a": value(1), "c": value(2)], in: store)
    }

    /// The pending writes of an abandoned transaction must not reach the pages of the next writer.
    @Test(arguments: kinds)
    func `has ended when its transaction is abandoned`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        try store.write { change in try change.openOrCreateTree(named: "t") }
        var values: [String: [UInt8]] = [:]
        for round in UInt8(0)..<8 {
            #expect(throws: Undo.self) {
                try store.write { change in
                    let tree = try change.tree(named: "t")
                    for key in ["x", "y"] { try change.put(value(99), forKey: key, in: tree) }
                    throw Undo()
                }
            }
            values["\(round)"] = value(round)
            try store.write { change in
                let tree = try change.tree(named: "t")
                try change.put(value(round), forKey: "\(round)", in: tree)
            }
        }
        try expect(values, in: store)
    }
}
