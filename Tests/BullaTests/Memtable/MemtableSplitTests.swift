import Bulla
import BullaTestSupport
import Testing

/// Keys chosen to split pages in unusual places.
@Suite struct `Index pages that are split` {
    private static func put(
        _ keys: some Sequence<String>, _ table: Memtable, _ model: inout MemtableModel
    ) throws {
        var edit = try table.edit()
        for key in keys {
            try edit.put(1, Array(key.utf8), [1])
            model.put(1, Array(key.utf8), [1])
        }
        table.settle(edit.publish())
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: count - text.utf8.count) + text
    }

    /// A full branch is split at its last child, so that the right half begins with that child
    /// alone.
    @Test(arguments: [10_000, 10_252, 10_300])
    func `find keys that share nothing with the one that a branch begins with`(
        count: Int
    ) throws {
        let table = try Memtable(byteLimit: 64 << 20)
        var model = MemtableModel()
        try Self.put((0..<count).map { "user:" + Self.digits($0, 10) }, table, &model)
        try Self.put((1...400).map { "v" + Self.digits($0, 3) }, table, &model)
        _ = try HeldModel(table, table.newest, model).check()
    }

    /// The gap is between two leaves, the first of which is full.
    @Test func `are not left with one entry by keys that descend into a gap`() throws {
        let table = try Memtable(byteLimit: 64 << 20)
        var model = MemtableModel()
        try Self.put((0..<125).map { "a" + Self.digits($0, 3) }, table, &model)
        try Self.put(["z"], table, &model)
        let count = 20_000
        try Self.put((0..<count).map { "b" + Self.digits(count - $0, 5) }, table, &model)
        _ = try HeldModel(table, table.newest, model).check()
        // The pages are at least half full.
        #expect(table.statistics.pageCount < count / 50)
    }
}
