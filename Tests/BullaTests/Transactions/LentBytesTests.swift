import Bulla
import BullaTestSupport
import Testing

@Suite struct `Lent bytes` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.allCases)
    func `can be kept as bytes and as text`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"))
        let values: [(bytes: [UInt8], text: String)] = [
            ([], ""), (Array("gr\u{FC}n".utf8), "gr\u{FC}n"), ([0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ([0, 1], "\u{0}\u{1}"),
        ]
        try store.write { change in
            let tree = try change.createTree(named: "t")
            for (index, value) in values.enumerated() {
                try change.put(value.bytes, forKey: [UInt8(index)], in: tree)
            }
        }
        var seen = 0
        try store.read { snapshot in
            try snapshot.scan(try snapshot.tree(named: "t")) { key, value in
                let index = Int([UInt8](copying: key)[0])
                #expect([UInt8](copying: value) == values[index].bytes)
                #expect(String(decoding: value) == values[index].text)
                seen += 1
                return .next
            }
        }
        #expect(seen == values.count)
        try store.close()
    }

    /// More leaves than the smallest cache has frames; each leaf has at most three records.
    private static let leafCount = 120
    private static let value = [UInt8](repeating: 7, count: 1200)

    private static func key(_ number: Int) -> String { String(1_000_000 + number) }

    @Test(arguments: StoreKind.encrypted)
    func `that take up the whole cache leave no memory for another page`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s.bulla"), pageByteCount: 4096) {
            $0.cacheByteLimit = 4096
        }
        try store.write { change in
            let tree = try change.createTree(named: "t")
            for number in 0..<3 * Self.leafCount {
                try change.put(Self.value, forKey: Self.key(number), in: tree)
            }
        }
        try store.takeOverLog()
        let error = refusal { try Self.lend(0, of: store) }
        #expect(error?.code == .outOfMemory, "\(error as Any)")
        let value = try store.read {
            try $0.value(forKey: Self.key(0), in: try $0.tree(named: "t"))
        }
        #expect(value == Self.value)
        try store.close()
    }

    /// Lends a value of a leaf, and meanwhile, on other threads, a value of each later leaf.
    private static func lend(_ leaf: Int, of store: Store) throws {
        guard leaf < leafCount else { return }
        try Crew.run(1) { _ in
            try store.read { snapshot in
                let tree = try snapshot.tree(named: "t")
                _ = try snapshot.withValue(forKey: key(3 * leaf), in: tree) { _ in
                    try lend(leaf + 1, of: store)
                }
            }
        }
    }
}
