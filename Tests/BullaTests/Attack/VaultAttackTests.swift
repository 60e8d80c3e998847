import Bulla
import BullaTestSupport
import Testing

/// What somebody can do to a vault who can write to its store.
///
/// That is anybody who can write the file of a plain one, and whoever has the key of an encrypted
/// one. The documents list all of it.
@Suite struct `A vault in a store that a stranger writes to` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func key(_ seed: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 5 &+ seed })
    }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
    }

    private func value(_ store: Store, _ tree: String, _ key: String) throws -> [UInt8] {
        let found = try store.read { try $0.value(forKey: key, in: $0.tree(named: tree)) }
        return try #require(found)
    }

    private func put(_ value: [UInt8], _ store: Store, _ tree: String, _ key: String) throws {
        try store.write { try $0.put(value, forKey: key, in: $0.tree(named: tree)) }
    }

    @Test(arguments: StoreKind.allCases)
    func `takes an entity's own older blob for the newest`(kind: StoreKind) throws {
        let store = try open(kind)
        let vault = try store.createVault("v", keys: [Self.key(1)])
        let logins = SealedCollection<String>("logins", in: vault)
        try store.write { _ = try logins.save("old", forKey: "mail", in: &$0) }
        let blob = try value(store, "logins", "mail")
        try store.write { _ = try logins.save("new", forKey: "mail", in: &$0) }
        try put(blob, store, "logins", "mail")
        let login = try store.read { try logins.fetch("mail", in: $0)?.open() }
        #expect(login == "old")
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `is opened by a former key again, where its former record is put back`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        let vault = try store.createVault("v", keys: [Self.key(1)])
        let record = try value(store, "bulla.vaults", "v")
        try vault.changeSlot(1, to: Self.key(2))
        let logins = SealedCollection<String>("logins", in: vault)
        try store.write { _ = try logins.save("late", forKey: "mail", in: &$0) }
        try vault.reseal(trees: [logins.treeName])
        #expect(refusal { _ = try store.openVault("v", key: Self.key(1)) }?.code == .wrongKey)
        try put(record, store, "bulla.vaults", "v")
        #expect(refusal { _ = try store.openVault("v", key: Self.key(2)) }?.code == .wrongKey)
        let former = SealedCollection<String>(
            "logins", in: try store.openVault("v", key: Self.key(1)))
        let login = try store.read { try former.fetch("mail", in: $0)?.open() }
        #expect(login == "late")
        try store.close()
    }

    @Test func `shows names and keys in a plain file, and no value`() throws {
        let store = try open(.plain)
        let vault = try store.createVault("the-vault", keys: [Self.key(1)], labels: ["the-label"])
        let logins = SealedCollection<String>("the-tree", in: vault)
        try store.write { _ = try logins.save("the-value", forKey: "the-key", in: &$0) }
        try store.close()
        let text = String(decoding: try scratch.bytes("s.bulla"), as: UTF8.self)
        for word in ["the-vault", "the-label", "the-tree", "the-key"] {
            #expect(text.contains(word))
        }
        #expect(!text.contains("the-value"))
    }
}
