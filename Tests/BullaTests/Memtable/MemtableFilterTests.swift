import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `The filter of a memtable` {
    private static func mayHold(_ view: MemtableView, _ tree: UInt64, _ key: [UInt8]) -> Bool {
        key.withView { view.mayHold(MemtableKey(tree: tree, $0)) }
    }

    /// 50 000 operations of about 30 bytes in a memtable of 4 MiB, whose filter has 10 bits for
    /// each of them.
    @Test func `denies no key that was put, and most of those that were not`() throws {
        let table = try Memtable(byteLimit: 4 << 20)
        var random = TestRandom(seed: 3)
        let keys = (0..<50_000).map { _ in random.uniqueBytes(8 + random.below(9)) }
        var edit = try table.edit()
        for key in keys { try edit.put(1, key, Array(key.prefix(8))) }
        table.settle(edit.publish())
        try HeldModel(table, table.newest).read { view in
            #expect(keys.allSatisfy { Self.mayHold(view, 1, $0) })
            var count = 0
            for key in keys {
                // Ask for the same keys in another tree, and for other keys.
                if Self.mayHold(view, 2, key) { count += 1 }
                if Self.mayHold(view, 1, random.uniqueBytes(16)) { count += 1 }
            }
            #expect(count < 2 * keys.count / 20)
        }
    }

    @Test func `knows the keys of every version, and of operations that lie in frames`() throws {
        let table = try Memtable(byteLimit: 1 << 20)
        var keys: [[UInt8]] = []
        for round in 0..<100 {
            let key = Array("key \(round)".utf8)
            var edit = try table.edit()
            try edit.put(5, key, nil)
            table.settle(edit.publish())
            keys.append(key)
            try HeldModel(table, table.newest).read { view in
                #expect(keys.allSatisfy { Self.mayHold(view, 5, $0) })
            }
        }
    }
}
