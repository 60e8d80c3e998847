import Bulla
import BullaTestSupport
import Testing

@Suite struct `A damaged store` {
    private let scratch: Scratch
    /// The place of those bytes of a page that the page's parent holds, too: the first half of the
    /// tag, which follows the nonce.
    private static let check = 4096 - 32 + 12..<4096 - 32 + 20

    /// The number of records that each commit puts into each tree.
    private static let putCount = TestMode.pick(short: 1000, long: 25_000)

    init() throws { scratch = try Scratch() }

    /// Makes a store with trees of several levels, large values, and an empty tree.
    private func make(_ kind: StoreKind) throws -> StoreContents {
        let store = try kind.open(scratch.path("good"), pageByteCount: 4096)
        var random = TestRandom(seed: 3)
        for _ in 0..<4 {
            try store.write { change in
                for name in ["a", "b"] {
                    let tree = try change.openOrCreateTree(named: name)
                    for _ in 0..<Self.putCount {
                        let key = "key \(random.below(4 * Self.putCount))"
                        try change.put(random.bytes(20 + random.below(100)), forKey: key, in: tree)
                    }
                }
                let assets = try change.openOrCreateTree(named: "assets")
                for number in 0..<5 {
                    try change.put(random.bytes(30_000), forKey: "\(number)", in: assets)
                }
                try change.openOrCreateTree(named: "empty")
            }
        }
        try store.close()
        return try StoreContents(of: scratch.path("good"), kind)
    }

    @Test(arguments: StoreKind.allCases, TestMode.seeds(1))
    func `gives up what is damaged, which is listed, and nothing else`(
        kind: StoreKind, seed: UInt64
    ) throws {
        let expected = try make(kind)
        let good = StoreImage(try scratch.bytes("good"))
        var random = TestRandom(seed: seed)
        for round in 0..<TestMode.pick(short: 12, long: 200) {
            var image = good
            var damaged: [Int: StoreDefect.Kind] = [:]
            for _ in 0..<1 + random.below(6) {
                let page = good.pageNumbers.lowerBound + random.below(good.pageNumbers.count)
                let place = random.below(4096)
                guard damaged[page] == nil else { continue }
                damaged[page] = Self.check.contains(place) ? .version : .page
                image.bytes[page * 4096 + place] ^= UInt8(1 + random.below(255))
            }
            try scratch.write(image.bytes, to: "bad")
            try expectSalvage(of: image.bytes, expected, damaged, kind, "round \(round), \(seed)")
        }
    }

    private func expectSalvage(
        of bytes: [UInt8], _ expected: StoreContents, _ damaged: [Int: StoreDefect.Kind],
        _ kind: StoreKind, _ note: String
    ) throws {
        let (path, target) = (scratch.path("bad"), scratch.path("saved"))
        let report: SalvageReport
        do { report = try Store.salvage(from: path, to: target, key: try kind.key()) }
        let check = try Store.check(at: path, key: try kind.key())
        #expect(try scratch.bytes("bad") == bytes, "it was written to, \(note)")
        #expect(report.check.defects.map(\.message) == check.defects.map(\.message), "\(note)")
        let saved = try StoreContents(of: target, kind)
        #expect(try Store.check(at: target, key: kind.key()).isSound, "\(note)")
        try scratch.remove("saved")
        for defect in check.defects {
            #expect(damaged[Int(defect.page)] == defect.kind, "\(defect), \(note)")
        }
        // Whatever the catalog has lost, no tree has appeared from elsewhere.
        #expect(Set(saved.trees.keys).isSubset(of: expected.trees.keys), "\(note)")
        let isCatalogWhole = check.defects.allSatisfy { $0.treeName != nil }
        for (name, entries) in expected.trees {
            let text = String(decoding: name, as: UTF8.self)
            let lost = check.defects.filter { $0.treeName == text }
            let kept = entries.filter { entry in !lost.contains { $0.takes(entry.key) } }
            if isCatalogWhole || saved.trees[name] != nil {
                #expect(saved.trees[name] == kept, "\(note)")
            }
        }
        let count = saved.trees.values.reduce(0) { $0 + $1.count }
        #expect(report.entryCount == count, "\(note)")
    }

    @Test(arguments: StoreKind.allCases)
    func `is told apart by the kind of its defect`(kind: StoreKind) throws {
        _ = try make(kind)
        let good = StoreImage(try scratch.bytes("good"))
        func kinds(_ change: (inout StoreImage) -> Void) throws -> Set<StoreDefect.Kind> {
            var image = good
            change(&image)
            try scratch.write(image.bytes, to: "bad")
            let report = try Store.check(at: scratch.path("bad"), key: try kind.key())
            #expect(try scratch.bytes("bad") == image.bytes)
            #expect(try scratch.names() == ["bad", "good"])
            return Set(report.defects.map(\.kind))
        }
        #expect(try kinds { _ in } == [])
        #expect(try kinds { $0.bytes[40] ^= 1 } == [.header])
        #expect(try kinds { $0.bytes[32768 + 40] ^= 1 } == [.header])
        #expect(try kinds { $0.bytes[8192 + 20] ^= 1 } == [.meta])
        #expect(try kinds { $0.bytes[40_960 + 20] ^= 1 } == [.meta])
        let isKeyring = try kinds { $0.bytes[4096 + 40] ^= 1 }
        #expect(isKeyring == (kind == .plain ? [] : [.keyring]))
        let isCut = try kinds { $0.bytes.removeLast($0.bytes.count - 65_536 - 4096) }
        #expect(isCut == [.missing, .log])
        let both = try kinds { image in
            image.bytes[8192 + 20] ^= 1
            image.bytes[40_960 + 20] ^= 1
        }
        #expect(both == [.meta])
    }

    @Test(arguments: StoreKind.allCases)
    func `is told where an older version of a page was put back`(kind: StoreKind) throws {
        // Two states of a store. A page that is in both states may have different content in each.
        let versions = try (1...2).map { version in
            let store = try kind.open(scratch.path("s"), pageByteCount: 4096)
            for round in 0..<8 {
                try store.write { change in
                    try change.put(
                        "\(version) \(round)", forKey: "k",
                        in: try change.openOrCreateTree(named: "t"))
                }
            }
            try store.close()
            return StoreImage(try scratch.bytes("s"))
        }
        var kinds: Set<StoreDefect.Kind> = []
        for page in versions[0].pageNumbers where versions[1].pageNumbers.contains(page) {
            var image = versions[1]
            image.setPage(page, versions[0].page(page))
            try scratch.write(image.bytes, to: "bad")
            let report = try Store.check(at: scratch.path("bad"), key: try kind.key())
            kinds.formUnion(report.defects.map(\.kind))
        }
        // An older page was sealed for another birth, to which its seal is bound.
        #expect(kinds.isSubset(of: [.page, .version]) && !kinds.isEmpty, "\(kinds)")
    }

    @Test func `that is in use is checked beside those who use it`() throws {
        _ = try make(.gcm)
        let store = try StoreKind.gcm.open(scratch.path("good"))
        let report = try Store.check(at: scratch.path("good"), key: try StoreKind.gcm.key())
        #expect(report.isSound)
        #expect(report.commit == (try store.anchor.commit))
        try store.write { change in
            try change.put("v", forKey: "k", in: try change.openOrCreateTree(named: "a"))
        }
        try store.close()
        #expect(try scratch.names() == ["good"])
    }

    @Test func `whose names and keys nobody could write loses those alone`() throws {
        var forge = try StoreForge(scratch)
        func record(_ keys: [String], _ number: UInt64) throws -> [UInt8] {
            ForgedPage.record(
                try forge.tree(ForgedPage.leaf(keys), entryCount: UInt64(keys.count)),
                number: number)
        }
        let catalog: [(key: [UInt8], value: [UInt8])] = [
            ([1], try record(["k"], 1)),
            ([1] + [UInt8](repeating: 0x61, count: 256), try record(["k"], 2)),
            ([1, 0x74], try record(["", "b", "c"], 3)),
        ]
        try forge.finish(catalog: catalog) { $0.treeCount = 3 }
        let path = scratch.path(StoreForge.name)
        let report = try Store.salvage(from: path, to: scratch.path("saved"))
        #expect(report.check.defects.map(\.kind) == [.structure, .structure, .structure])
        #expect(report.check.defects.map { $0.treeName?.count } == [0, 256, 1])
        #expect(report.check.defects.last?.lostFrom == "")
        #expect(report.check.defects.last?.lostUpTo == "00")
        #expect(report.entryCount == 2)
        let saved = try StoreContents(of: scratch.path("saved"), .plain)
        #expect(saved.trees.count == 1)
        #expect(saved.trees[[0x74]]?.count == 2)
    }

    @Test func `of which no commit can be reached is an error of a salvage`() throws {
        _ = try make(.gcm)
        var image = StoreImage(try scratch.bytes("good"))
        image.bytes[8192 + 20] ^= 1
        image.bytes[40_960 + 20] ^= 1
        try scratch.write(image.bytes, to: "bad")
        let error = refusal {
            _ = try Store.salvage(
                from: scratch.path("bad"), to: scratch.path("r"), key: try StoreKind.gcm.key())
        }
        #expect(error?.code == .corrupted)
        #expect(try scratch.names() == ["bad", "good"])
    }
}

extension StoreDefect {
    /// Whether a key is lost because of the damage.
    fileprivate func takes(_ key: [UInt8]) -> Bool {
        let text = key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        // Hexadecimal digits sort like the bytes.
        return (lostFrom ?? "") <= text && (lostUpTo.map { text < $0 } ?? true)
    }
}
