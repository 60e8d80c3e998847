import Bulla
import BullaTestSupport
import Testing

/// Copies whose kind may differ from their source's.
@Suite struct `A compacted copy` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private static let pairs = StoreKind.allCases.flatMap { from in
        StoreKind.allCases.map { (from, $0) }
    }

    private static func otherKey() throws -> StoreKey {
        try StoreKey((0..<64).map { UInt8($0) ^ 0xA5 })
    }

    private func makeStore(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(path, pageByteCount: 4096)
        var random = TestRandom(seed: 3)
        try store.write { change in
            for name in ["a", "b"] {
                let tree = try change.createTree(named: name)
                for index in 0..<300 {
                    try change.put(
                        random.bytes(random.below(200)), forKey: "key \(index)", in: tree)
                }
                try change.put(random.bytes(100_000), forKey: "large", in: tree)
            }
        }
        return store
    }

    @Test(arguments: Self.pairs)
    func `is of the kind, the page size and the key that were asked for`(
        from: StoreKind, to: StoreKind
    ) throws {
        let store = try makeStore(from)
        var options = StoreOptions()
        options.pageByteCount = 16384
        options.suite = to.suite
        let copy = scratch.path("copy.bulla")
        try store.compact(
            to: copy, key: try to == .plain ? nil : Self.otherKey(), options: options)
        let expected = try StoreContents(of: store)
        try store.close()

        // The source is unchanged, under its own key.
        #expect(try StoreContents(of: path, from) == expected)
        let copied = try Store.open(at: copy, key: try to == .plain ? nil : Self.otherKey())
        let info = try copied.info
        #expect(info.pageByteCount == 16384 && info.suite == to.suite)
        #expect(info.isEncrypted == (to != .plain))
        #expect(try StoreContents(of: copied) == expected)
        #expect(try copied.check().isSound)
        try copied.close()
        let refused = refusal { _ = try Store.open(at: copy, key: StoreKey(StoreKind.keyBytes)) }
        #expect(refused?.code == (to == .plain ? .notEncrypted : .wrongKey))
    }

    @Test func `keeps page size and suite where nothing else is asked for`() throws {
        let store = try makeStore(.ctrHMAC)
        try store.compact(to: scratch.path("copy.bulla"), key: try StoreKind.ctrHMAC.key())
        try store.close()
        let copy = try Store.open(
            at: scratch.path("copy.bulla"), key: try StoreKind.ctrHMAC.key())
        let info = try copy.info
        #expect(info.pageByteCount == 4096)
        #expect(info.suite == .aes256CTRHMACSHA256)
        try copy.close()
    }

    @Test func `is what a plain store is told to make, which is not encrypted in place`() throws {
        let store = try makeStore(.plain)
        let key = try Self.otherKey()
        let refusals = [
            refusal { try store.changeKey(to: key) },
            refusal { try store.addSlot(for: key) },
            refusal { try store.rotateDataKeys() },
            refusal { try store.reencrypt(keys: [key]) },
            refusal { _ = try Store.open(at: path, key: key) },
        ]
        for refused in refusals {
            #expect(refused?.code == .notEncrypted)
            #expect(
                refused?.message.hasSuffix(
                    "the store is plain, and is not encrypted in place; compact makes an encrypted "
                        + "copy") == true)
        }
        try store.compact(to: scratch.path("e.bulla"), key: key)
        try store.close()
        #expect(try Store.verifyKey(key, at: scratch.path("e.bulla")))
    }

    @Test func `has one way in, while a backup keeps all of them`() throws {
        let store = try makeStore(.gcm)
        try store.addSlot(for: Self.otherKey(), label: "spare")
        try store.compact(to: scratch.path("copy.bulla"), key: try StoreKind.gcm.key())
        _ = try store.backup(to: scratch.path("backup"))
        try store.close()
        #expect(try !Store.verifyKey(Self.otherKey(), at: scratch.path("copy.bulla")))
        let restored = scratch.path("restored.bulla")
        try Store.restore(from: [scratch.path("backup")], to: restored, key: Self.otherKey())
        for key in [try Self.otherKey(), try StoreKey(StoreKind.keyBytes)] {
            #expect(try Store.verifyKey(key, at: restored))
        }
        #expect(try Store.keySlots(at: restored).map(\.label) == [nil, "spare"])
    }
}
