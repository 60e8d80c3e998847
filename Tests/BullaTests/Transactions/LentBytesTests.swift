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
}
