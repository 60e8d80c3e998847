import Bulla
import BullaTestSupport
import Testing

/// Case 29, as seen by one process: the user's key is changed.
@Suite struct `29. A store whose key is changed` {
    private let scratch: Scratch
    private static let newKey = (0..<64).map { UInt8(200 - $0) }

    init() throws { scratch = try Scratch() }

    private var path: String { scratch.path("s.bulla") }

    private func make(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(path)
        try store.write {
            try $0.put("one", forKey: "key", in: try $0.openOrCreateTree(named: "t"))
        }
        return store
    }

    private func value(_ key: [UInt8], _ name: String = "s.bulla") throws -> [UInt8]? {
        let store = try Store.open(at: scratch.path(name), key: try StoreKey(key))
        defer { try? store.close() }
        return try store.read { try $0.value(forKey: "key", in: try $0.tree(named: "t")) }
    }

    @Test(arguments: StoreKind.encrypted)
    func `opens under the new one, whatever half differs, and not under the former`(
        kind: StoreKind
    ) throws {
        let store = try make(kind)
        try store.changeKey(to: try StoreKey(Self.newKey))
        try store.close()
        try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: StoreKind.keyBytes)
        for halves in [(StoreKind.keyBytes, Self.newKey), (Self.newKey, StoreKind.keyBytes)] {
            let mixed = Array(halves.0.prefix(32) + halves.1.suffix(32))
            try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: mixed)
        }
        #expect(try value(Self.newKey) == Array("one".utf8))
        let report = try Store.check(at: path, key: try StoreKey(Self.newKey))
        #expect(report.defects.isEmpty)
    }

    @Test(arguments: StoreKind.encrypted)
    func `serves handles that are open, and can be changed again, back to the first`(
        kind: StoreKind
    ) throws {
        let first = try make(kind)
        let second = try kind.open(path)
        let snapshot = try second.makeSnapshot()
        try first.changeKey(to: try StoreKey(Self.newKey))
        try second.write { try $0.put("two", forKey: "key", in: try $0.tree(named: "t")) }
        #expect(
            try first.read { try $0.value(forKey: "key", in: try $0.tree(named: "t")) }
                == Array("two".utf8))
        #expect(
            try snapshot.value(forKey: "key", in: try snapshot.tree(named: "t"))
                == Array("one".utf8))
        _ = consume snapshot
        // Processes that open it now need the new key.
        #expect(refusal { _ = try kind.open(path) }?.code == .wrongKey)
        try second.changeKey(to: try StoreKey(StoreKind.keyBytes))
        #expect(refusal { _ = try value(Self.newKey) }?.code == .wrongKey)
        #expect(try value(StoreKind.keyBytes) == Array("two".utf8))
        try second.close()
        try first.close()
        #expect(refusal { _ = try value(Self.newKey) }?.code == .wrongKey)
        #expect(try value(StoreKind.keyBytes) == Array("two".utf8))
    }

    @Test(arguments: StoreKind.encrypted)
    func `refuses the former key where its keyring was put back, also to a check`(
        kind: StoreKind
    ) throws {
        try make(kind).close()
        let former = try scratch.bytes("s.bulla")
        let again = try kind.open(path)
        try again.changeKey(to: try StoreKey(Self.newKey))
        try again.close()
        for offset in [4096, 32768 + 4096] {
            let copy = Array(former[offset..<offset + 4096])
            try scratch.overwrite("s.bulla", with: copy, at: offset)
        }
        try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: StoreKind.keyBytes)
        let key = try kind.key()
        #expect(refusal { _ = try Store.check(at: path, key: key) }?.code == .wrongKey)
    }

    @Test(arguments: StoreKind.encrypted)
    func `is backed up and restored under the key that it has last`(kind: StoreKind) throws {
        let store = try make(kind)
        let first = try store.backup(to: scratch.path("b1"))
        try store.changeKey(to: try StoreKey(Self.newKey))
        try store.write { try $0.put("two", forKey: "key", in: try $0.tree(named: "t")) }
        _ = try store.backup(to: scratch.path("b2"), since: first.anchor)
        try store.close()
        let backups = ["b1", "b2"].map { scratch.path($0) }
        let newKey = try StoreKey(Self.newKey)
        try Store.restore(from: backups, to: scratch.path("r.bulla"), key: newKey)
        #expect(try value(Self.newKey, "r.bulla") == Array("two".utf8))
        let old = try kind.key()
        #expect(
            refusal { try Store.restore(from: backups, to: scratch.path("x"), key: old) }?.code
                == .wrongKey)
        try Store.restore(from: [backups[0]], to: scratch.path("o.bulla"), key: old)
        #expect(try value(StoreKind.keyBytes, "o.bulla") == Array("one".utf8))
    }

    /// Makes by hand the state that a crash leaves in the simulator: one copy of the keyring is
    /// under the new key, and no commit names that copy.
    @Test(arguments: StoreKind.encrypted)
    func `that was given up stays given up, though its copy is put back`(kind: StoreKind) throws {
        try make(kind).close()
        let former = try scratch.bytes("s.bulla")
        let store = try kind.open(path)
        try store.changeKey(to: try StoreKey(Self.newKey))
        try store.close()
        let copy = try scratch.bytes("s.bulla")[4096..<4096 + 4096]
        try scratch.write(former, to: "s.bulla")
        try scratch.overwrite("s.bulla", with: Array(copy), at: 4096)
        // Opening the store with the former key gives up the change.
        #expect(try value(StoreKind.keyBytes) == Array("one".utf8))
        try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: Self.newKey)
        try scratch.overwrite("s.bulla", with: Array(copy), at: 4096)
        #expect(refusal { _ = try value(Self.newKey) }?.code == .wrongKey)
        #expect(try value(StoreKind.keyBytes) == Array("one".utf8))
        #expect(try Store.check(at: path, key: try kind.key()).defects.isEmpty)
    }

    @Test func `must be encrypted, and open for writing`() throws {
        let key = try StoreKey(Self.newKey)
        let plain = try make(.plain)
        #expect(refusal { try plain.changeKey(to: key) }?.code == .notEncrypted)
        try plain.close()
        try StoreKind.gcm.open(scratch.path("e.bulla")).close()
        let read = try StoreKind.gcm.open(scratch.path("e.bulla")) { $0.access = .readOnly }
        #expect(refusal { try read.changeKey(to: key) }?.code == .readOnly)
        try read.close()
    }
}
