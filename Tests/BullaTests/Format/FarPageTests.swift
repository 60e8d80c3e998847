import Bulla
import BullaMemory
import BullaTestSupport
import Foundation
import Testing

@Suite struct `Pages far out in a sparse file` {
    /// The last page but one for which a page table has room; it also fits into a file of ext4.
    private static let lastPage = UInt64(WordTable.wordCountLimit) - 2
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Makes a store whose next page is the given one.
    private func forge(nextPage: UInt64) throws {
        var forge = try StoreForge(scratch)
        let tree = try forge.tree(ForgedPage.leaf(["a"]), entryCount: 1)
        try forge.finish(tree) { $0.pageCount = nextPage }
        try lengthen(to: min(nextPage, Self.lastPage) * 4096)
    }

    private func lengthen(to byteCount: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path(StoreForge.name)))
        defer { try? file.close() }
        try file.truncate(atOffset: byteCount)
    }

    private func open() throws -> Store { try StoreKind.plain.open(scratch.path(StoreForge.name)) }

    @Test func `30. are written and read across 8 TiB`() throws {
        try forge(nextPage: (8 << 40) / 4096 - 10)
        let value = [UInt8](repeating: 5, count: 100_000)
        let store = try open()
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "far")
            for key in ["one", "two"] { try change.put(value, forKey: key, in: tree) }
        }
        #expect(try store.info.pageCount > (8 << 40) / 4096)
        try store.close()
        let again = try open()
        try again.read { snapshot in
            let tree = try snapshot.tree(named: "far")
            for key in ["one", "two"] {
                #expect(try snapshot.value(forKey: key, in: tree) == value)
            }
            #expect(try snapshot.value(forKey: "a", in: snapshot.tree(named: "t")) == [0x76])
        }
    }

    @Test(arguments: [UInt64(1) << 32 + 1, 1 << 33, 1 << 63])
    func `30. are refused where no table has room for them`(nextPage: UInt64) throws {
        try forge(nextPage: nextPage)
        #expect(refusal { _ = try open() }?.code == .corrupted)
    }

    @Test func `30. are refused at the last one there can be, and the store stays readable`() throws
    {
        try forge(nextPage: Self.lastPage)
        let store = try open()
        // Changes that fit into the log need no page.
        try store.write { _ = try $0.openOrCreateTree(named: "new") }
        #expect(refusal { try store.checkpoint() }?.code == .full)
        #expect(try store.read { try $0.treeIfPresent(named: "new") != nil })
        #expect(try store.read { try $0.value(forKey: "a", in: $0.tree(named: "t")) } == [0x76])
    }

    /// With large pages, a file reaches the limit of what can be mapped while its page table still
    /// has room.
    @Test func `30. are refused where they could be written, and not be read`() throws {
        let nextPage = MappedWindow.byteLimit / 65536 - 1
        var forge = try StoreForge(scratch, pageByteCount: 65536)
        try forge.finish(root: .empty) { ($0.pageCount, $0.treeCount) = (nextPage, 0) }
        try lengthen(to: nextPage * 65536)
        let store = try open()
        try store.write { _ = try $0.openOrCreateTree(named: "new") }
        let error = refusal { try store.checkpoint() }
        #expect(error?.code == .full, "\(error as Any)")
        #expect(error.says("it has \(nextPage) pages"), "\(error as Any)")
        #expect(try store.read { try $0.treeIfPresent(named: "new") != nil })
    }
}
