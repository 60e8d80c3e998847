import Bulla
import BullaTestSupport
import Foundation
import Testing

/// What an attacker can do to a vault by writing to its store.
///
/// Such an attacker is anybody who can write the file of a plain store, or who has the key of an
/// encrypted one. The documents list everything that such an attacker can do.
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
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
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
        let vault = try store.createVault(named: "v", keys: [Self.key(1)])
        let record = try value(store, "bulla.vaults", "v")
        try vault.changeSlot(1, to: Self.key(2))
        let logins = SealedCollection<String>("logins", in: vault)
        try store.write { _ = try logins.save("late", forKey: "mail", in: &$0) }
        try vault.reseal(trees: [logins.treeName])
        #expect(
            refusal { _ = try store.openVault(named: "v", key: Self.key(1)) }?.code == .wrongKey)
        try put(record, store, "bulla.vaults", "v")
        #expect(
            refusal { _ = try store.openVault(named: "v", key: Self.key(2)) }?.code == .wrongKey)
        let former = SealedCollection<String>(
            "logins", in: try store.openVault(named: "v", key: Self.key(1)))
        let login = try store.read { try former.fetch("mail", in: $0)?.open() }
        #expect(login == "late")
        try store.close()
    }

    @Test func `shows names and keys in a plain file, and no value`() throws {
        let store = try open(.plain)
        let vault = try store.createVault(
            named: "the-vault", keys: [Self.key(1)], labels: ["the-label"])
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

@Suite struct `A compacted vault` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The store is plain, so that its file shows the content of its pages.
    @Test func `leaves former slots and dropped vaults behind`() throws {
        let store = try StoreKind.plain.open(scratch.path("s.bulla"), pageByteCount: 4096)
        let keys = try (1..<4).map { seed in
            try StoreKey((0..<64).map { $0 &* 5 &+ UInt8(seed) })
        }
        let vault = try store.createVault(named: "v", keys: [keys[0]])
        let former = try record("v", store)
        try vault.changeSlot(1, to: keys[1])
        _ = try store.createVault(named: "gone", keys: [keys[2]])
        let dropped = try record("gone", store)
        try store.dropVault(named: "gone")
        let newest = try record("v", store)
        try store.compact(to: scratch.path("copy.bulla"), key: nil)
        try store.close()
        // As documented, all of them are in the file.
        for record in [former, dropped, newest] {
            let mark = try mark(of: record, apartFrom: record == newest ? former : newest)
            #expect(try has(mark, "s.bulla"))
            #expect(try has(mark, "copy.bulla") == (record == newest))
        }
    }

    private func record(_ name: String, _ store: Store) throws -> Data {
        let found = try store.read {
            try $0.value(forKey: name, in: $0.tree(named: "bulla.vaults"))
        }
        return Data(try #require(found))
    }

    /// 16 random bytes of a record that another record lacks: a salt, or a wrapped secret.
    private func mark(of record: Data, apartFrom other: Data) throws -> Data {
        let marks = (0...record.count - 16).lazy.map { record[$0..<$0 + 16] }
        return try #require(
            marks.first { Set($0).count > 12 && other.range(of: $0) == nil })
    }

    private func has(_ mark: Data, _ name: String) throws -> Bool {
        Data(try scratch.bytes(name)).range(of: mark) != nil
    }
}
