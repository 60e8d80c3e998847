import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A memtable of limited memory` {
    @Test(arguments: [0, 20, 3000])
    func `refuses what is too much, and the former version stays whole`(valueByteCount: Int) throws
    {
        let table = try Memtable(byteLimit: 256 << 10)
        var random = TestRandom(seed: 1)
        var model = MemtableModel()
        var edit = try table.edit()
        for number in 0..<40 {
            try edit.put(1, Array("a\(number)".utf8), [1])
            model.put(1, Array("a\(number)".utf8), [1])
        }
        table.settle(edit.publish())
        let before = table.statistics

        for _ in 0..<3 {
            var changed = model
            var failing = try table.edit()
            var refusal: MemtableError?
            while refusal == nil {
                let key = random.uniqueBytes(12)
                do {
                    try failing.put(1, key, random.bytes(valueByteCount))
                } catch {
                    refusal = error as? MemtableError
                    continue
                }
                changed.trees[1]?[key] = nil
                let wanted = key.withView { failing.view.change(of: MemtableKey(tree: 1, $0)) }
                guard case .put(let bytes)? = wanted else { break }
                changed.put(1, key, bytes.copied())
            }
            #expect(refusal == .full(byteLimit: 256 << 10))
            // The edit still has everything from before the refusal. All of that is dropped when
            // the edit is dropped.
            _ = changed.check(failing.view)
        }
        _ = try HeldModel(table, table.newest, model).check()
        #expect(table.statistics.pageCount == before.pageCount)
        #expect(table.statistics.operationByteCount == before.operationByteCount)

        var last = try table.edit()
        try last.put(1, [7], [7])
        model.put(1, [7], [7])
        _ = model.check(last.view)
    }

    @Test func `goes on when versions were let go that took what there was`() throws {
        let table = try Memtable(byteLimit: 256 << 10)
        var edit = try table.edit()
        for number in 0..<200 { try edit.put(1, [UInt8(number)], []) }
        let first = edit.publish()
        var count = 0
        var refusal: MemtableError?
        while refusal == nil {
            do {
                var edit = try table.edit()
                try edit.put(1, [UInt8(count % 200)], [])
                _ = edit.publish()
                count += 1
            } catch { refusal = error as? MemtableError }
        }
        #expect(count > 20 && table.settled.isEmpty && first != table.newest)
        table.settle(table.newest)
        var next = try table.edit()
        try next.put(1, [3], nil)
        table.settle(next.publish())
    }

    @Test func `has a directory of as many trees as there are`() throws {
        let table = try Memtable(byteLimit: 32 << 20)
        var model = MemtableModel()
        var random = TestRandom(seed: 2)
        for _ in 0..<10 {
            var edit = try table.edit()
            for _ in 0..<900 {
                let tree = random.isOne(in: 2) ? random.next() : UInt64(random.below(5000))
                try edit.put(tree, [1], [2])
                model.put(tree, [1], [2])
            }
            table.settle(edit.publish())
        }
        _ = try HeldModel(table, table.newest, model).check()
    }
}
