import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A memtable built at once` {
    private static func entries(_ count: Int, seed: Int) -> MemtableModel {
        var random = TestRandom(seed: seed)
        var model = MemtableModel()
        for number in 0..<count {
            let name = random.isOne(in: 2) ? "record:\(number)" : "\(random.next())"
            model.put(9, Array(name.utf8), random.isOne(in: 5) ? nil : random.bytes(number % 40))
        }
        return model
    }

    /// Writes the operations of a tree in order, and returns where they are.
    private static func write(
        _ model: MemtableModel, _ edit: inout MemtableEdit
    ) throws -> [UInt32] {
        var offsets: [UInt32] = []
        let sorted = (model.trees[9] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (key, value) in sorted {
            let room = try edit.takeBytes(
                MemtableOperation.byteCount(key: key.count, value: value?.count ?? 0))
            key.withView { key in
                guard let value else {
                    return MemtableOperation.write(room.bytes, key: key, value: nil)
                }
                value.withView { MemtableOperation.write(room.bytes, key: key, value: $0) }
            }
            offsets.append(UInt32(room.offset))
        }
        return offsets
    }

    /// One leaf, two, a full branch, two of them.
    @Test(arguments: [1, 2, 125, 126, 249, 10_375, 10_376, 25_000])
    func `says what the same puts say, and can be changed like it`(count: Int) throws {
        let table = try Memtable(byteLimit: 64 << 20)
        var model = Self.entries(count, seed: count)
        var edit = try table.edit()
        try edit.put(3, [1], [2])
        model.put(3, [1], [2])
        let offsets = try Self.write(model, &edit)
        try edit.build(tree: 9, operations: offsets.span)
        _ = model.check(edit.view)
        table.settle(edit.publish())

        var random = TestRandom(seed: 5)
        var next = try table.edit()
        for number in 0..<300 {
            let key = Array("\(random.next())".utf8)
            try next.put(9, key, [UInt8(number & 0xFF)])
            model.put(9, key, [UInt8(number & 0xFF)])
        }
        table.settle(next.publish())
        let pageCount = try HeldModel(table, table.newest, model).check()
        table.reclaim()
        #expect(table.statistics.pageCount == pageCount)
    }

    @Test func `of no operations is not there`() throws {
        let table = try Memtable(byteLimit: 1 << 20)
        var edit = try table.edit()
        try edit.build(tree: 9, operations: [UInt32]().span)
        #expect(edit.view.isEmpty)
    }

    @Test func `of an operation that is none leaves no trace`() throws {
        let table = try Memtable(byteLimit: 16 << 20)
        var edit = try table.edit()
        try edit.put(3, [1], [2])
        var offsets = try Self.write(Self.entries(1000, seed: 1), &edit)
        offsets.append(.max)
        #expect(throws: MemtableError.malformedOperation) {
            try edit.build(tree: 9, operations: offsets.span)
        }
        #expect(!edit.view.holds(tree: 9) && edit.view.holds(tree: 3))
        table.settle(edit.publish())
        #expect(table.statistics.pageCount == 2)
    }
}
