import Bulla
import BullaTestSupport
import Testing

@Suite struct `Many named trees` {
    private static let count = TestMode.pick(short: 2000, long: 100_000)
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `30. are made, found, counted and dropped, each with what is its own`(
        kind: StoreKind
    ) throws {
        var store = try kind.open(scratch.path("trees.bulla"))
        for start in stride(from: 0, to: Self.count, by: 500) {
            try store.write { change in
                for number in start..<min(start + 500, Self.count) {
                    try change.put(
                        "\(number)", forKey: "key",
                        in: try change.openOrCreateTree(named: "tree \(number)"))
                }
            }
        }
        try store.close()
        store = try kind.open(scratch.path("trees.bulla"))
        #expect(try store.info.treeCount == Self.count)
        try store.read { snapshot in
            for number in 0..<Self.count {
                let value = try snapshot.value(
                    forKey: "key", in: try snapshot.tree(named: "tree \(number)"))
                #expect(value == Array("\(number)".utf8))
            }
        }
        #expect(try store.check().isSound)
        try store.write { change in
            for number in stride(from: 0, to: Self.count, by: 2) {
                try change.dropTree(named: "tree \(number)")
            }
        }
        #expect(try store.info.treeCount == Self.count / 2)
        #expect(try store.check().isSound)
    }
}
