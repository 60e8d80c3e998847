import Bulla
import BullaTestSupport

/// Does with canaries everything that a vault can do.
struct VaultUse {
    let seed: Int
    let store: Store
    let vault: Vault

    private struct Thrown: Error {}
    private static let blobs = "blobs"

    func run() throws {
        let tree = try store.write { try $0.openOrCreateTree(named: Self.blobs) }
        for canary in [VaultCanary.lent, .inner, .thrown] {
            let blob = try vault.seal(canary.canary(seed), for: place(tree, canary))
            try put(blob, canary)
        }
        let large = try VaultCanary.large.canary(seed).lend(times: 3000) { bytes in
            try vault.seal(bytes, for: place(tree, .large))
        }
        try put(large, .large)
        try open(tree)
        try save()
        let other = try VaultCanary.otherPassword.canary(seed).withBytes { bytes in
            try StoreKey.password(Secret(bytes), stretching: .pbkdf2(iterations: 600_000))
        }
        let slot = try vault.addSlot(for: other, label: "other")
        try vault.removeSlot(slot)
        // After this, the keys of two epochs are in use.
        try vault.reseal(trees: [TreeName(Self.blobs)])
        try open(tree)
    }

    private func place(_ tree: Tree, _ canary: VaultCanary) -> SealedIdentity {
        SealedIdentity(tree: tree, key: "\(canary)")
    }

    private func put(_ blob: [UInt8], _ canary: VaultCanary) throws {
        try store.write {
            try $0.put(blob, forKey: "\(canary)", in: try $0.tree(named: Self.blobs))
        }
    }

    private func blob(_ canary: VaultCanary) throws -> [UInt8] {
        let blob = try store.read {
            try $0.value(forKey: "\(canary)", in: try $0.tree(named: Self.blobs))
        }
        return try blob.orFail("a blob is gone")
    }

    private func open(_ tree: Tree) throws {
        let count = try vault.open(blob(.large), for: place(tree, .large)) { $0.byteCount }
        guard count == 3000 * Canary.byteCount else {
            throw WorkerFailure.impossible("a blob of \(count) bytes was opened")
        }
        do {
            try vault.open(blob(.thrown), for: place(tree, .thrown)) { _ in throw Thrown() }
        } catch is Thrown {}
        // A damaged blob is decrypted before its tag is checked, and refused only then.
        var damaged = try vault.seal(
            VaultCanary.damaged.canary(seed), for: place(tree, .damaged))
        damaged[damaged.count - 1] ^= 1
        do {
            try vault.open(damaged, for: place(tree, .damaged)) { _ in }
            throw WorkerFailure.impossible("a damaged blob was opened")
        } catch let error as BullaError where error.code == .sealDamaged {}
    }

    /// Saves an entity where there is none, replaces it by another, and saves that one again
    /// unchanged; then appends versions of a part, and opens everything.
    private func save() throws {
        let key = VaultCanary.hiddenKey.canary(seed)
        let logins = SealedCollection<CanaryEntity>("logins", in: vault, keys: .hidden)
        let parts = logins.history(
            ofProperty: 1, as: CanaryEntity.self, keeping: 2, notOlderThan: .seconds(9))
        for canary in [VaultCanary.entity, .changed, .changed, .entity] {
            let entity = CanaryEntity(seed: canary.canary(seed).seed)
            try store.write { try logins.save(entity, forKey: key, in: &$0) }
        }
        let part = CanaryEntity(seed: VaultCanary.part.canary(seed).seed)
        for second in 0..<4 {
            try store.write {
                try parts.append(part, forKey: key, timeSince1970: .seconds(second), in: &$0)
            }
        }
        try store.read { snapshot in
            let login = try logins.fetch(key, in: snapshot).orFail("an entity is gone")
            _ = try login.open()
            _ = try logins.openAll(in: snapshot)
            for version in try parts.versions(ofKey: key, in: snapshot) { _ = try version.open() }
        }
    }

    /// Lends a canary inside a loan of another, and waits there.
    func lend(_ body: () -> Void) throws {
        let tree = try store.read { try $0.tree(named: Self.blobs) }
        try vault.open(blob(.lent), for: place(tree, .lent)) { lent in
            try vault.open(blob(.inner), for: place(tree, .inner)) { inner in
                body()
                let counts = [lent.byteCount, inner.byteCount]
                guard counts == [Canary.byteCount, Canary.byteCount] else {
                    throw WorkerFailure.impossible("\(counts) bytes were lent")
                }
            }
        }
    }
}

extension Optional {
    /// The value; throws a worker's failure if there is none.
    func orFail(_ message: String) throws -> Wrapped {
        guard let self else { throw WorkerFailure.impossible(message) }
        return self
    }
}
