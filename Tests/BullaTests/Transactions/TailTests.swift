import Bulla
import BullaTestSupport
import Foundation
import Testing

/// Space after a file's pages is released.
@Suite struct `The end of a file` {
    private let scratch: Scratch
    private static let large = 32 << 20
    private static let part = [UInt8](repeating: 1, count: 1 << 20)

    init() throws { scratch = try Scratch() }

    /// Opens a store with a log of constant length, since the log counts as part of the file.
    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s.bulla")) { $0.logByteLimit = 1 << 20 }
    }

    private struct GaveUp: Error {}

    @Test(arguments: StoreKind.allCases)
    func `is given back by a transaction that made it and is given up`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let store = try open(kind)
        try store.write { try $0.put("b", forKey: "a", in: try $0.openOrCreateTree(named: "pets")) }
        let before = try scratch.byteCount("s.bulla")
        var reached = 0
        do {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "pets")
                try change.putStream(forKey: "large", in: tree) { write in
                    for _ in 0..<Self.large >> 20 {
                        try Self.part.withBytes { part throws(BullaError) in try write(part) }
                    }
                    reached = try scratch.byteCount("s.bulla")
                    throw GaveUp()
                }
            }
        } catch is GaveUp {}
        #expect(reached > before + 16 << 20)
        #expect(try scratch.byteCount("s.bulla") <= before + 4 << 20)
        // What any process knew of the file's length is no longer true.
        try store.write { try $0.put("d", forKey: "c", in: try $0.openOrCreateTree(named: "pets")) }
        #expect(try store.check().isSound)
        try store.close()
        #expect(try Store.check(at: scratch.path("s.bulla"), key: try kind.key()).isSound)
    }

    @Test(arguments: StoreKind.allCases)
    func `that a dead process left is cut off when the last one closes`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let before = try scratch.byteCount("s.bulla")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path("s.bulla")))
        try file.truncate(atOffset: UInt64(before + Self.large))
        try file.close()
        let first = try open(kind)
        let second = try open(kind)
        try second.close()
        #expect(try scratch.byteCount("s.bulla") == before + Self.large)
        try first.close()
        #expect(try scratch.byteCount("s.bulla") <= before + 4 << 20)
        #expect(try Store.check(at: scratch.path("s.bulla"), key: try kind.key()).isSound)
    }

    @Test(arguments: StoreKind.allCases)
    func `of free pages is cut off when the last one closes`(kind: StoreKind) throws {
        let value = [UInt8](repeating: 3, count: 1000)
        var store = try open(kind)
        try store.write { change in
            let kept = try change.openOrCreateTree(named: "kept")
            for number in 0..<100 { try change.put(value, forKey: "key \(number)", in: kept) }
        }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "dropped")
            for number in 0..<15_000 { try change.put(value, forKey: "key \(number)", in: tree) }
        }
        try store.close()
        let before = try scratch.byteCount("s.bulla")
        #expect(before > 14 << 20)
        store = try open(kind)
        let held = try store.makeSnapshot()
        try store.write { try $0.dropTree(named: "dropped") }
        #expect(held.commit > 0)
        _ = consume held
        try store.close()
        #expect(try scratch.byteCount("s.bulla") < 4 << 20)
        #expect(try Store.check(at: scratch.path("s.bulla"), key: try kind.key()).isSound)
        store = try open(kind)
        #expect(try store.read { try $0.count(of: try $0.tree(named: "kept")) } == 100)
        // Closing can cut off nothing more, so it makes no commit of its own.
        let commit = try store.info.commit
        try store.write { try $0.put("b", forKey: "a", in: try $0.openOrCreateTree(named: "kept")) }
        try store.close()
        store = try open(kind)
        #expect(try store.info.commit == commit + 1)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "again")
            for number in 0..<2_000 { try change.put(value, forKey: "key \(number)", in: tree) }
        }
        #expect(try store.check().isSound)
    }
}
