import Bulla
import BullaTestSupport
import Testing

/// Every page verifies, but has wrong content, as an attacker can arrange with the key, or without
/// one in a plain store.
@Suite(.serialized) struct `A store with` {
    @Test(arguments: StructureCase.all)
    func `21. structure that is false gives errors, or some answer`(structure: StructureCase) throws
    {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        try structure.forge(&forge)
        let header = try scratch.bytes(StoreForge.name).prefix(4096)
        try VerbRun(path: scratch.path(StoreForge.name)).run()
        // No writer was misled into overwriting the store's identity.
        #expect(try scratch.bytes(StoreForge.name).prefix(4096) == header)
    }

    @Test func `forged pages that are right is a store like any other`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        try forge.finish(try forge.tree(ForgedPage.leaf(["b", "c", "m"])))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        #expect(try store.check().isSound)
        let value = try store.read { try $0.value(forKey: "c", in: try $0.tree(named: "t")) }
        #expect(value == [0x76])
    }

    /// The number of entries that claim the same page is larger than the file's number of pages.
    @Test func `a value that many entries claim refuses to be removed with all of them`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        let page = try forge.add([UInt8](repeating: 9, count: ForgedPage.byteCount), kind: 4)
        let value = ForgedPage.descriptor(page, byteCount: 100, height: 0)
        let entries = (0..<50).map { ([UInt8(0x61 + $0)], ForgedPage.largeMark, value) }
        let leaf = try forge.add(ForgedPage.leaf(entries))
        try forge.finish(forge.root(leaf, height: 1, entryCount: 50, largeCount: 50))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        // The log accepts the deletion; the trees do not.
        try store.write { _ = try $0.deleteRange(.all, in: try $0.tree(named: "t")) }
        let error = refusal { try store.checkpoint() }
        #expect(error?.message.contains("named more than once") == true, "\(error?.message ?? "")")
        #expect(refusal { try store.close() }?.code == .corrupted)
    }

    /// The leaves of a tree are dropped unread if none of its values has pages of its own.
    @Test func `a leaf that the file does not have refuses to be dropped with its tree`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        let leaf = try forge.add(ForgedPage.leaf(["b"]))
        let wrong = PagePointer(number: 100_000, birth: StoreForge.commit, check: 1)
        let root = try forge.add(ForgedPage.branch([("", leaf), ("c", wrong)], level: 1))
        try forge.finish(forge.root(root, height: 2))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        // The log accepts the drop; the trees do not.
        try store.write { _ = try $0.dropTree(named: "t") }
        let error = refusal { try store.checkpoint() }
        #expect(error.says("the file has no such page"), "\(error?.message ?? "")")
        #expect(refusal { try store.close() }?.code == .corrupted)
    }

    @Test func `a free map that has more pages than are counted refuses to give them`() throws {
        let error = try refusalOfCheckpoint(freeCount: 40, isPending: false)
        #expect(error.says("its free map has more pages than are counted"), "\(error as Any)")
    }

    @Test func `pending frees of pages that are free refuse to be used again`() throws {
        let error = try refusalOfCheckpoint(freeCount: 70, isPending: true)
        #expect(error.says("its free map already has a freed page"), "\(error as Any)")
    }

    /// The error of a checkpoint in a store whose free map has 70 pages, but whose commit record
    /// counts `freeCount`.
    ///
    /// If `isPending`, two of the 70 pages are also pending frees.
    private func refusalOfCheckpoint(freeCount: UInt64, isPending: Bool) throws -> BullaError? {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        let record = ForgedPage.record(try forge.tree(ForgedPage.leaf(["b", "c", "m"])))
        let pages = try (0..<70).map { _ in
            try forge.add([UInt8](repeating: 9, count: ForgedPage.byteCount), kind: 4).number
        }
        var map = [UInt8](repeating: 0, count: FreeMap.byteCount)
        for page in pages { map[Int(page) / 8] |= 1 << UInt8(page % 8) }
        var catalog: [(key: [UInt8], value: [UInt8])] = [([1, 0x74], record)]
        if isPending {
            let key: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]
            catalog.append((key, pages[3].bytes + UInt64(2).bytes + UInt64(1).bytes))
        }
        catalog.append(([3, 0, 0, 0, 0, 0, 0, 0, 0], map))
        try forge.finish(catalog: catalog) { record in
            (record.freeCount, record.pendingCount) = (freeCount, isPending ? 2 : 0)
        }
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name)) {
            $0.reclaimInterval = 1
        }
        try store.write { try $0.put("v", forKey: "d", in: try $0.tree(named: "t")) }
        let error = refusal { try store.checkpoint() }
        #expect(refusal { try store.close() }?.code == .corrupted)
        return error
    }

    @Test func `a branch without children refuses each key`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        let leaf = try forge.add(ForgedPage.leaf(["b"]))
        var content = ForgedPage.branch([("", leaf)], level: 1)
        content.store(UInt16(0), at: 2)
        content.store(UInt16(ForgedPage.byteCount) - content.load(UInt16.self, at: 4), at: 6)
        try forge.finish(forge.root(try forge.add(content), height: 2))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        let value = [UInt8](repeating: 1, count: 400)
        let error = refusal {
            try store.write { change in
                let other = try change.openOrCreateTree(named: "other")
                // This value is too long for the log, so the changes after it go straight to pages,
                // and nothing is merged.
                try change.put([UInt8](repeating: 1, count: 50_000), forKey: "k", in: other)
                let tree = try change.tree(named: "t")
                for number in 0..<500 { try change.put(value, forKey: "c\(number)", in: tree) }
            }
        }
        #expect(error?.code == .corrupted && error.says("it holds nothing"), "\(error as Any)")
        try store.close()
    }

    /// The next checkpoint would refuse such a tree.
    @Test func `a tree of no root that claims a height is told as a defect`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        let nothing = PagePointer(number: 0, birth: 0, check: 0)
        try forge.finish(forge.root(nothing, height: 1, entryCount: 0), height: 1 << 63)
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        let report = try store.check()
        #expect(report.defects.map(\.kind) == [.structure])
        try store.close()
    }

    /// If the copy kept this number, the number of its next tree would be beyond the limit, and no
    /// meta slot would be valid.
    @Test func `a tree's number that was never given is salvaged under another`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        var root = try forge.tree(ForgedPage.leaf(["b", "c", "m"]))
        root.number = 1 << 62
        try forge.finish(root)
        let copy = scratch.path("copy.bulla")
        let report = try Store.salvage(from: scratch.path(StoreForge.name), to: copy)
        #expect(report.entryCount == 3)
        let store = try StoreKind.plain.open(copy)
        #expect(try store.read { try $0.count(of: try $0.tree(named: "t")) } == 3)
        #expect(try store.check().isSound)
        try store.close()
    }

    /// If such a leaf were split, its halves would stand in their branch in an order in which no
    /// search works.
    @Test func `a leaf whose keys belong elsewhere refuses the key that would split it`() throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        let filling = String(repeating: "-", count: 140)
        let keys = "abcdefghijklmnopqrstuvwxy".map { "\($0)\(filling)" }
        let full = try forge.add(ForgedPage.leaf(keys))
        let right = try forge.add(ForgedPage.leaf(["z"]))
        let root = try forge.add(ForgedPage.branch([("", full), ("d", right)], level: 1))
        try forge.finish(forge.root(root, height: 2))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        let error = refusal {
            try store.write { change in
                let tree = try change.tree(named: "t")
                for number in 10..<30 {
                    try change.put("v", forKey: "b\(number)\(filling)", in: tree)
                }
            }
        }
        #expect(error?.code == .corrupted)
        try store.close()
    }
}
