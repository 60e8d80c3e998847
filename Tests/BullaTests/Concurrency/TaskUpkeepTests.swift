import Bulla
import BullaTestSupport
import Testing

/// The async verbs of checks, copies, keys and vaults, each of which does what its blocking
/// counterpart does.
@Suite struct `Tasks that look after a store` {
    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path("s.bulla")
        try scratch.makeStore("s.bulla", .gcm)
    }

    private static func key(_ seed: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 5 &+ seed })
    }

    @Test func `check it, open and closed`() async throws {
        let key = try StoreKind.gcm.key()
        let store = try await Store.open(at: path, key: key)
        let open = try await store.check { _ in }
        #expect(open.isSound && open.treeCount == 1)
        try await store.close()
        let closed = try await Store.check(at: path, key: key) { _ in }
        #expect(closed.isSound && closed.entryCount == open.entryCount)
        let refused = await refusal { _ = try await Store.check(at: path, key: Self.key(1)) }
        #expect(refused?.code == .wrongKey)
    }

    @Test func `restore it from a backup, and salvage it`() async throws {
        let key = try StoreKind.gcm.key()
        let store = try await Store.open(at: path, key: key)
        let backup = try await store.backup(to: scratch.path("backup"))
        try await store.close()
        let (restored, saved) = (scratch.path("restored"), scratch.path("saved"))
        let report = try await Store.restore(
            from: [scratch.path("backup")], to: restored, key: key
        ) { _ in }
        #expect(report.pageCount == backup.pageCount && report.hasOwnKeys)
        let salvage = try await Store.salvage(from: path, to: saved, key: key) { _ in }
        #expect(salvage.check.isSound && salvage.entryCount == 201)
        for copy in [restored, saved] {
            let store = try await Store.open(at: copy, key: key)
            let count = try await store.read { try $0.count(of: try $0.tree(named: "pets")) }
            #expect(count == 201)
            try await store.close()
        }
        // No copy replaces a file that exists.
        let codes = [
            await refusal {
                try await Store.restore(from: [scratch.path("backup")], to: restored, key: key)
            },
            await refusal { _ = try await Store.salvage(from: path, to: saved, key: key) },
        ].map { $0?.code }
        #expect(codes == [.invalidArgument, .invalidArgument])
    }

    @Test func `stop long work once they are cancelled, and leave no file`() async throws {
        let key = try StoreKind.gcm.key()
        let (file, backup, target) = (path, scratch.path("backup"), scratch.path("target"))
        let store = try await Store.open(at: file, key: key)
        let vault = try await store.createVault(named: "v", keys: [Self.key(1)])
        let logins = SealedCollection<String>("logins", in: vault)
        try await store.write { _ = try logins.save("ada", forKey: "mail", in: &$0) }
        _ = try await store.backup(to: backup)
        let task = Task { () -> [BullaError.Code?] in
            // The sleep ends when the task is cancelled.
            try? await Task.sleep(for: TestMode.patience)
            return [
                await refusal { _ = try await store.check() },
                await refusal { _ = try await Store.check(at: file, key: key) },
                await refusal { _ = try await store.backup(to: target) },
                await refusal { try await store.compact(to: target, key: key) },
                await refusal {
                    try await Store.restore(from: [backup], to: target, key: key)
                },
                await refusal {
                    _ = try await Store.salvage(from: file, to: target, key: key)
                },
                await refusal { try await vault.reseal(trees: [logins.treeName]) },
                await refusal { try await store.reencrypt(keys: [key].compactMap { $0 }) },
            ].map { $0?.code }
        }
        task.cancel()
        let codes = await task.value
        #expect(codes == [BullaError.Code?](repeating: .cancelled, count: 8))
        #expect(!scratch.exists("target"))
        #expect(store.isReencrypting)
        try await store.resumeReencryption()
        #expect(!store.isReencrypting)
        try await store.close()
    }

    @Test func `find out how far to stretch a password`() async throws {
        let stretching = try await Bulla.PasswordStretching.calibrated(for: .zero)
        #expect(stretching == .recommended)
    }

    @Test func `change its keys`() async throws {
        let store = try await Store.open(at: path, key: StoreKind.gcm.key())
        let slot = try await store.addSlot(for: Self.key(1), label: "one")
        try await store.changeSlot(slot, to: Self.key(2))
        #expect(try store.keySlots().map(\.label) == [nil, "one"])
        var opens = [
            try await Store.verifyKey(Self.key(1), at: path),
            try await Store.verifyKey(Self.key(2), at: path),
        ]
        #expect(opens == [false, true])
        let password = try StoreKey.password(
            Secret("p"), stretching: .pbkdf2(iterations: 600_000))
        try await store.changeSlot(slot, to: password)
        let unlocked = try await password.unlocked(for: path)
        opens = [
            try await Store.verifyKey(Self.key(2), at: path),
            try await Store.verifyKey(unlocked, at: path),
        ]
        #expect(opens == [false, true])
        try await store.removeSlot(slot)
        let refused = await refusal { try await store.removeSlot(slot) }
        #expect(refused?.code == .keySlotNotFound)
        let epoch = try store.info.keyEpoch
        try await store.rotateDataKeys()
        try await store.write { try $0.put("v", forKey: "k", in: $0.tree(named: "pets")) }
        while try await store.checkpoint() {}
        #expect(try store.info.keyEpoch == epoch + 1)
        try await store.limitLog(toBytes: 1 << 20)
        #expect(try store.info.log.byteLimit == 1 << 20)
        try await store.close()
    }

    @Test func `open a vault, change its slots, and seal it anew`() async throws {
        let store = try await Store.open(at: path, key: StoreKind.gcm.key())
        let vault = try await store.createVault(named: "v", keys: [Self.key(1)])
        let logins = SealedCollection<String>("logins", in: vault)
        try await store.write { _ = try logins.save("ada", forKey: "mail", in: &$0) }
        let slot = try await vault.addSlot(for: Self.key(2))
        try await vault.changeSlot(slot, to: Self.key(3))
        try await vault.removeSlot(1)
        let stop = await refusal {
            try await vault.reseal(trees: [logins.treeName]) { _ throws(BullaError) in
                throw BullaError(.cancelled, "stop here")
            }
        }
        #expect(stop?.message == "stop here")
        try await vault.reseal(trees: [logins.treeName])
        let refused = await refusal {
            _ = try await store.openVault(named: "v", key: Self.key(1))
        }
        #expect(refused?.code == .wrongKey)
        let again = try await store.openVault(named: "v", key: Self.key(3))
        #expect(again.epoch == vault.epoch)
        let same = SealedCollection<String>("logins", in: again)
        let login = try await store.read { try same.fetch("mail", in: $0)?.open() }
        #expect(login == "ada")
        try await store.dropVault(named: "v")
        #expect(try store.vaultNames() == [])
        try await store.close()
    }
}
