import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

/// The verbs that give a store new data keys, or a new secret.
@Suite struct `A store under another secret` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private static func key(_ seed: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 7 &+ seed })
    }

    private static func value(_ number: Int) -> [UInt8] {
        // Every hundredth value has pages of its own; every three-hundredth also has an index page.
        let count = number % 300 == 0 ? 30_000 : number % 100 == 0 ? 3_000 : 40
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ number) }
    }

    private func fill(_ store: Store, _ numbers: Range<Int>) throws {
        try store.write { change in
            for tree in ["a", "b"] {
                let tree = try change.openOrCreateTree(named: tree)
                for number in numbers {
                    try change.put(Self.value(number), forKey: "\(10_000 + number)", in: tree)
                }
            }
        }
    }

    private func expectContents(_ store: Store, _ numbers: Range<Int>) throws {
        try store.read { snapshot in
            for name in ["a", "b"] {
                let tree = try snapshot.tree(named: name)
                for number in numbers {
                    let value = try snapshot.value(forKey: "\(10_000 + number)", in: tree)
                    #expect(value == Self.value(number))
                }
            }
        }
        #expect(try store.check().isSound)
    }

    /// How many pages of the file claim key epochs before `epoch`.
    private func formerPages(before epoch: UInt32, pageByteCount: Int = 4096) throws -> Int {
        let bytes = try scratch.bytes("s.bulla")
        return stride(from: 65536, to: bytes.count, by: pageByteCount).count { start in
            let end = start + pageByteCount
            let claim = bytes[end - 4..<end].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return claim > 0 && claim < epoch
        }
    }

    @Test(arguments: StoreKind.encrypted)
    func `has all its pages sealed anew, and its former keyring opens nothing`(
        kind: StoreKind
    ) throws {
        let store = try kind.open(path, pageByteCount: 4096)
        try fill(store, 0..<2_000)
        try fill(store, 500..<600)
        let former = Array(try scratch.bytes("s.bulla"))
        let key = try StoreKey(StoreKind.keyBytes)
        var stages: Set<String> = []
        try store.reencrypt(keys: [key]) { progress in
            switch progress {
            case .sealing(let done): if done.total != nil { stages.insert("sealing") }
            case .waiting: stages.insert("waiting")
            case .erasing: stages.insert("erasing")
            }
        }
        #expect(stages == ["sealing", "erasing"])
        #expect(!store.isReencrypting)
        let epoch = try store.info.keyEpoch
        #expect(epoch >= 1024)
        #expect(try formerPages(before: epoch) == 0)
        try expectContents(store, 0..<2_000)
        try fill(store, 2_000..<2_100)
        try store.close()
        let again = try kind.open(path)
        try expectContents(again, 0..<2_100)
        try again.close()
        // After the former keyring is restored, its secret opens neither the meta slots nor a page.
        for offset in [4096, 32768 + 4096] {
            let copy = Array(former[offset..<offset + 4096])
            try scratch.overwrite("s.bulla", with: copy, at: offset)
        }
        #expect(refusal { _ = try kind.open(path) }?.code == .corrupted)
    }

    @Test func `drops slots only where that is asked for`() throws {
        let store = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try fill(store, 0..<100)
        try store.addSlot(for: Self.key(1), label: "one")
        try store.addSlot(for: Self.key(2), label: "two")
        let key = try StoreKey(StoreKind.keyBytes)
        let refused = refusal { try store.reencrypt(keys: [key, Self.key(2)]) }
        #expect(refused?.code == .invalidArgument)
        #expect(refused?.message.contains("slots 2 ") == true)
        #expect(refusal { try store.reencrypt(keys: [Self.key(7)]) }?.code == .wrongKey)
        #expect(refusal { try store.reencrypt(keys: []) }?.code == .invalidArgument)
        #expect(!store.isReencrypting)
        try store.reencrypt(keys: [Self.key(2), key], droppingOtherSlots: true)
        #expect(try store.keySlots().map(\.number).sorted() == [1, 3])
        #expect(try store.keySlots().compactMap(\.label) == ["two"])
        #expect(try store.addSlot(for: Self.key(3)) == 4)
        try store.close()
        #expect(try !Store.verifyKey(Self.key(1), at: path))
        for key in [key, try Self.key(2), try Self.key(3)] {
            let store = try Store.open(at: path, key: key)
            try expectContents(store, 0..<100)
            try store.close()
        }
    }

    @Test(arguments: StoreKind.encrypted)
    func `that was stopped goes on where it was, in another process too`(kind: StoreKind) throws {
        let key = try StoreKey(StoreKind.keyBytes)
        var store = try kind.open(path, pageByteCount: 4096)
        try fill(store, 0..<1_500)
        var calls = 0
        let stop = refusal {
            try store.reencrypt(keys: [key]) { _ throws(BullaError) in
                calls += 1
                if calls == 2 { throw BullaError(.cancelled, "stop here") }
            }
        }
        #expect(stop?.message == "stop here")
        #expect(store.isReencrypting)
        #expect(refusal { try store.reencrypt(keys: [key]) }?.code == .busy)
        try expectContents(store, 0..<1_500)
        try fill(store, 1_500..<1_550)
        for limit in [1, 2] {
            try store.close()
            store = try kind.open(path)
            #expect(store.isReencrypting)
            try expectContents(store, 0..<1_550)
            var calls = 0
            let stop = refusal {
                try store.resumeReencryption { _ throws(BullaError) in
                    calls += 1
                    if calls == limit { throw BullaError(.cancelled, "stop here") }
                }
            }
            #expect(stop?.code == .cancelled)
        }
        try store.resumeReencryption()
        #expect(!store.isReencrypting)
        #expect(try formerPages(before: store.info.keyEpoch) == 0)
        try store.resumeReencryption()
        try expectContents(store, 0..<1_550)
        try store.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `serves others who have it open, and waits for their snapshots`(kind: StoreKind) throws {
        let store = try kind.open(path, pageByteCount: 4096)
        try fill(store, 0..<600)
        let other = try kind.open(path)
        let idle = try kind.open(path)
        var snapshot: Snapshot? = try other.makeSnapshot()
        let key = try StoreKey(StoreKind.keyBytes)
        var waits: [ReencryptionProgress] = []
        var written = 0
        try store.reencrypt(keys: [key]) { progress throws(BullaError) in
            if case .sealing = progress, written < 3 {
                try? fill(other, 600 + written * 10..<610 + written * 10)
                written += 1
            }
            guard case .waiting(let snapshots, _, let isLagging) = progress else { return }
            waits.append(progress)
            if snapshots > 0 {
                #expect((try? snapshot?.tree(named: "a")) != nil)
                snapshot = nil
            } else if isLagging {
                #expect((try? idle.read { try $0.tree(named: "a") }) != nil)
            }
            if waits.count == 50 { throw BullaError(.cancelled, "it waits for nobody") }
        }
        #expect(waits.contains { if case .waiting(1, _, true) = $0 { true } else { false } })
        #expect(waits.contains { if case .waiting(0, _, true) = $0 { true } else { false } })
        let end = 600 + written * 10
        #expect(written > 0)
        try expectContents(other, 0..<end)
        try expectContents(idle, 0..<end)
        try fill(idle, end..<end + 10)
        try store.close()
        try other.close()
        try expectContents(idle, 0..<end + 10)
        try idle.close()
        let again = try kind.open(path)
        try expectContents(again, 0..<end + 10)
        try again.close()
    }

    @Test func `keeps slots as they are: passwords, their stretching, what a service wrapped`()
        async throws
    {
        let password = try Secret("correct horse")
        let pbkdf2 = try Bulla.PasswordStretching.pbkdf2(iterations: 600_000)
        let slow = try StoreKey.password(password, stretching: pbkdf2)
        let service = XORService()
        let path = path
        let store = try await Store.open(at: path, key: slow)
        try fill(store, 0..<50)
        try await store.addSlot(
            for: try await StoreKey.random(wrappedBy: service), label: "service")
        let before = try store.keySlots()
        let keys = [
            try await StoreKey.password(password).unlocked(for: path),
            try await StoreKey.unwrapped(by: service, for: path),
        ]
        try await store.reencrypt(keys: keys)
        #expect(try store.keySlots() == before)
        try await store.close()
        for key in [
            try StoreKey.password(password), keys[0],
            try await StoreKey.unwrapped(by: service, for: path, slotLabel: "service"),
        ] {
            let store = try await Store.open(at: path, key: key)
            try expectContents(store, 0..<50)
            try await store.close()
        }
    }

    @Test func `waits for the one that made it, when another makes the next`() throws {
        let first = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try fill(first, 0..<100)
        let key = try StoreKey(StoreKind.keyBytes)
        try first.reencrypt(keys: [key])
        let second = try StoreKind.gcm.open(path)
        var hasWaited = false
        try second.reencrypt(keys: [key]) { progress throws(BullaError) in
            guard case .waiting(_, _, true) = progress else { return }
            hasWaited = true
            guard (try? first.read { try $0.tree(named: "a") }) != nil else {
                throw BullaError(.cancelled, "the first one cannot read")
            }
        }
        #expect(hasWaited)
        try expectContents(first, 0..<100)
        try first.close()
        try second.close()
    }

    @Test func `begins a new chain of backups`() throws {
        let store = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try fill(store, 0..<300)
        let first = try store.backup(to: scratch.path("b1"))
        let key = try StoreKey(StoreKind.keyBytes)
        try store.reencrypt(keys: [key])
        let second = try store.backup(to: scratch.path("b2"), since: first.anchor)
        #expect(second.since == nil)
        try fill(store, 300..<320)
        let third = try store.backup(to: scratch.path("b3"), since: second.anchor)
        #expect(third.since != nil)
        try store.close()
        let backups = ["b2", "b3"].map { scratch.path($0) }
        try Store.restore(from: backups, to: scratch.path("r.bulla"), key: key)
        let restored = try StoreKind.gcm.open(scratch.path("r.bulla"))
        try expectContents(restored, 0..<320)
        try restored.close()
    }

    @Test func `is refused to a second thread, and changes nothing without a pace`() throws {
        let store = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try fill(store, 0..<100)
        let key = try StoreKey(StoreKind.keyBytes)
        #expect(refusal { try store.reencrypt(keys: [key], pace: 0) }?.code == .invalidArgument)
        #expect(!store.isReencrypting)
        var refused: BullaError?
        try store.reencrypt(keys: [key]) { _ in
            refused = refusal { try store.resumeReencryption() }
        }
        #expect(refused?.code == .busy)
        try expectContents(store, 0..<100)
        try store.close()
    }

    @Test func `can be made several times, over a history that forked`() throws {
        let store = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try fill(store, 0..<200)
        _ = try store.backup(to: scratch.path("b"))
        try store.close()
        let copy = scratch.path("r.bulla")
        let key = try StoreKey(StoreKind.keyBytes)
        try Store.restore(from: [scratch.path("b")], to: copy, key: key)
        for round in 1...3 {
            let store = try Store.open(at: copy, key: key)
            let former = try store.info.keyEpoch
            try fill(store, 200 * round..<200 * round + 200)
            try store.reencrypt(keys: [key])
            #expect(try store.info.keyEpoch >= former + 1024)
            try expectContents(store, 0..<200 * round + 200)
            try store.close()
        }
        #expect(try Store.check(at: copy, key: key).defects.isEmpty)
    }

    @Test func `gets new data keys without a page being written`() throws {
        let store = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try fill(store, 0..<100)
        let (epoch, sealed) = try (store.info.keyEpoch, store.statistics.sealedPageCount)
        try store.rotateDataKeys()
        #expect(try store.statistics.sealedPageCount == sealed)
        try fill(store, 100..<200)
        #expect(try store.info.keyEpoch == epoch + 1)
        try expectContents(store, 0..<200)
        try store.close()
        let again = try StoreKind.gcm.open(path)
        try expectContents(again, 0..<200)
        try again.close()
    }

    @Test func `must be encrypted, and the pace be sensible`() throws {
        let plain = try StoreKind.plain.open(path)
        let key = try Self.key(1)
        #expect(refusal { try plain.rotateDataKeys() }?.code == .notEncrypted)
        #expect(refusal { try plain.reencrypt(keys: [key]) }?.code == .notEncrypted)
        try plain.close()
        let store = try StoreKind.gcm.open(scratch.path("e.bulla"))
        for pace in [0, -1, 1.5, .nan] {
            let refused = refusal { try store.resumeReencryption(pace: pace) }
            #expect(refused?.code == .invalidArgument)
        }
        try store.close()
    }
}

/// A key service of the tests, whose wrapping hides nothing.
private struct XORService: KeyWrapper {
    let name = "a service of the tests"

    func wrap(_ key: Secret) async throws -> [UInt8] {
        key.withBytes { [UInt8](copying: $0).map { $0 ^ 0x5A } }
    }

    func unwrap(_ wrapped: [UInt8]) async throws -> Secret {
        try wrapped.map { $0 ^ 0x5A }.withBytes { try Secret($0) }
    }
}
