import Bulla
import BullaTestSupport
import Testing

@Suite struct `The name of a tree` {
    private static let odd: [[UInt8]] = [
        [0], [0xFF], [0x61, 0xFF, 0x62], Array(#"a\xff"#.utf8), Array("tab\tbed".utf8),
        [0xEF, 0xBF, 0xBD],
    ]

    @Test(arguments: StoreKind.allCases)
    func `opens its tree, whatever bytes it has, as it comes in the list`(kind: StoreKind) throws {
        let scratch = try Scratch()
        let store = try kind.open(scratch.path("s"))
        try store.write { change in
            for (index, name) in Self.odd.enumerated() {
                try change.put(
                    [UInt8(index)], forKey: "index", in: change.openOrCreateTree(named: name))
            }
        }
        try store.read { snapshot in
            let names = try snapshot.treeNames()
            #expect(names.map(\.bytes) == Self.odd.sorted { $0.lexicographicallyPrecedes($1) })
            #expect(names == names.sorted())
            for name in names {
                let index = try snapshot.value(forKey: "index", in: snapshot.tree(named: name))
                #expect(index == Self.odd.firstIndex(of: name.bytes).map { [UInt8($0)] })
            }
        }
    }

    @Test func `is told from every other when it is printed, and read back exactly`() throws {
        #expect(Set(Self.odd.map { "\(TreeName(bytes: $0))" }).count == Self.odd.count)
        for bytes in Self.odd {
            let name = TreeName(bytes: bytes)
            #expect(TreeName(escaped: name.description) == name)
        }
        #expect("\(TreeName(bytes: [0x61, 0xFF]))" == #"a\xff"#)
        #expect(TreeName(bytes: [0xFF]).text == nil)
        #expect(TreeName("pets").text == "pets")
        #expect(TreeName(escaped: #"a\q"#) == nil)
    }

    @Test func `that cannot be is refused, and the transaction goes on`() throws {
        let scratch = try Scratch()
        let store = try StoreKind.gcm.open(scratch.path("s"))
        try store.write { change in
            for name in [[], [UInt8](repeating: 7, count: 256)] {
                #expect(
                    refusal { _ = try change.openOrCreateTree(named: name) }?.code
                        == .invalidArgument)
                #expect(refusal { _ = try change.dropTree(named: name) }?.code == .invalidArgument)
            }
            try change.createTree(named: "after")
        }
        #expect(try store.read { try $0.treeNames() }.map(\.bytes) == [Array("after".utf8)])
        try store.close()
    }
}
