import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `What a tree is made of` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `is nothing for an empty tree`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s"))
        try store.write { try $0.openOrCreateTree(named: "t") }
        let counts = try store.read { try $0.statistics(of: $0.tree(named: "t")) }
        #expect(counts.entryCount == 0 && counts.height == 0)
        #expect(counts.pageCount == 0 && counts.fill == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `adds up to its entries, to all of its bytes and to the pages that a check finds`(
        kind: StoreKind
    ) throws {
        let store = try kind.open(scratch.path("s"))
        try fill(store)
        let counts = try store.read { try $0.statistics(of: $0.tree(named: "t")) }
        #expect(counts.entryCount == 3002)
        #expect(counts.keyByteCount == 3002 * 8)
        #expect(counts.valueByteCount == 3000 * 100 + 100_000 + 1_000_000)
        #expect(counts.largeValueCount == 2)
        #expect(counts.largeValueByteCount == 1_100_000)
        #expect(counts.height == 3 || counts.height == 2)
        #expect(counts.leafPageCount > 3000 * 108 / 4096)
        #expect(counts.branchPageCount >= 1)
        #expect(counts.fill > 0.3 && counts.fill <= 1)
        // All other live pages are the catalog's, which has one or a few.
        let (live, verified) = (try store.info.livePageCount, try store.check().verifiedPageCount)
        #expect(live == verified)
        #expect(counts.pageCount < live && live <= counts.pageCount + 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `is told of a transaction with what it has changed so far`(kind: StoreKind) throws {
        // The transaction outgrows this log, and so has pages that can be counted.
        let store = try kind.open(scratch.path("s")) { $0.fixLog(halfByteCount: 64 << 10) }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<3000 { try change.put("value", forKey: key(number), in: tree) }
            let inside = try change.statistics(of: tree)
            #expect(inside.entryCount == 3000)
            #expect(inside.keyByteCount == 3000 * 8)
            #expect(inside.leafPageCount > 10)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is refused where any of its branches and leaves is damaged`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<300 { try change.put("value", forKey: key(number), in: tree) }
        }
        try store.takeOverLog()
        let counts = try store.read { try $0.statistics(of: $0.tree(named: "t")) }
        try store.close()
        let bytes = try scratch.bytes("s")
        var refused: UInt64 = 0
        for page in stride(from: 65536, to: bytes.count, by: 4096) {
            var damaged = bytes
            damaged[page + 100] ^= 1
            try scratch.write(damaged, to: "s")
            let error = refusal {
                let store = try kind.open(scratch.path("s"))
                _ = try store.read { try $0.statistics(of: $0.tree(named: "t")) }
            }
            #expect(error == nil || error?.code == .corrupted)
            refused += error == nil ? 0 : 1
        }
        #expect(counts.leafPageCount > 1 && refused >= counts.pageCount)
        #expect(refused < UInt64(bytes.count - 65536) / 4096)
    }

    private func key(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private func fill(_ store: Store) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<3000 {
                try change.put([UInt8](repeating: 1, count: 100), forKey: key(number), in: tree)
            }
            try change.put([UInt8](repeating: 2, count: 100_000), forKey: key(5000), in: tree)
            try change.put([UInt8](repeating: 3, count: 1_000_000), forKey: key(6000), in: tree)
        }
    }
}
