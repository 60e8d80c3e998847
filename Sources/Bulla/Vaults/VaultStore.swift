internal import BullaCipher
internal import BullaMemory

/// Reads and writes the record of a vault in a store.
struct VaultStore {
    private let core: StoreCore
    private let name: String

    private var place: String { "vault \(name) of \(core.parts.path)" }

    init(_ core: StoreCore, _ name: String) throws(BullaError) {
        self.core = core
        self.name = name
        guard (1...VaultRecord.nameByteLimit).contains(name.utf8.count) else {
            throw BullaError(
                .invalidArgument,
                "name a vault of \(core.parts.path): the name has \(name.utf8.count) bytes, "
                    + "expected 1 to \(VaultRecord.nameByteLimit)")
        }
    }

    static func names(_ core: StoreCore) throws(BullaError) -> [String] {
        let snapshot = try Snapshot(core, .published)
        guard let tree = try snapshot.treeIfPresent(named: VaultRecord.treeName) else { return [] }
        var names: [String] = []
        do {
            try snapshot.scan(tree) { key, _ in
                names.append(String(decoding: key.withView { $0.copied() }, as: UTF8.self))
                return .next
            }
        } catch {
            throw BullaError(error, during: "read the vaults of \(core.parts.path)")
        }
        return names
    }

    func create(
        _ keys: [StoreKey], _ labels: [String?], budget: Int
    ) throws(BullaError) -> Vault {
        guard !keys.isEmpty else {
            throw BullaError(.invalidArgument, "make \(place): no key was given to open it")
        }
        let labels = labels + [String?](repeating: nil, count: max(keys.count - labels.count, 0))
        // Stretch the passwords before taking the writer lock, because stretching takes a long
        // time.
        var made: [(form: KeyringSlot.Form, key: UserKey)] = []
        for (key, label) in zip(keys, labels) { made.append(try key.makeSlot(label: label)) }
        let secret: VaultSecret
        var record: VaultRecord
        do throws(CipherError) {
            record = try VaultRecord(name: name)
            secret = VaultSecret(try MasterSecret.random(for: record.identifier))
        } catch { throw BullaError.cipher("make \(place)", error) }
        for slot in made {
            try SlotRules(place, record.table).check(slot.form)
            do throws(CipherError) {
                _ = try record.table.add(
                    slot.form, secret.master, under: slot.key, headerDigest: record.digest)
            } catch { throw SlotRules.noRoom(place, error) }
        }
        let bytes = try bytes(of: record, secret)
        var transaction = try WriteTransaction(core, .full)
        let tree = try transaction.openOrCreateTree(named: VaultRecord.treeName)
        guard try transaction.insert(bytes, forKey: name, in: tree) else {
            throw BullaError(.vaultExists, "make \(place): there is one of that name")
        }
        try transaction.commit()
        return vault(record, secret, budget)
    }

    /// The record in the newest published commit.
    func read() throws(BullaError) -> VaultRecord {
        let snapshot = try Snapshot(core, .published)
        let tree = try snapshot.treeIfPresent(named: VaultRecord.treeName)
        guard let tree, let bytes = try snapshot.value(forKey: name, in: tree) else {
            throw notFound
        }
        return try record(bytes)
    }

    /// The table of the record; throws unless a holder of the vault's secret wrote the record.
    func readAuthentic(_ vault: Vault) throws(BullaError) -> KeyringTable {
        let record = try read()
        guard record.identifier == vault.identifier else { throw notFound }
        try check(record, of: vault, "read")
        return record.table
    }

    private var changed: BullaError {
        BullaError(.corrupted, "read \(place): its record was changed by a stranger")
    }

    private var notFound: BullaError {
        BullaError(.vaultNotFound, "open \(place): the store has none of that name")
    }

    private func record(_ bytes: [UInt8]) throws(BullaError) -> VaultRecord {
        do throws(CipherError) {
            if let record = try VaultRecord(reading: bytes, name: name) { return record }
        } catch { throw BullaError.cipher("read \(place)", error) }
        throw BullaError(.corrupted, "read \(place): its record is damaged")
    }

    func open(_ key: StoreKey, budget: Int) throws(BullaError) -> Vault {
        let record = try read()
        do throws(KeyringError) {
            return vault(record, try record.open(with: key), budget)
        } catch {
            throw BullaError.keyring("open \(place)", error, damaged: "its record is damaged")
        }
    }

    private func vault(
        _ record: VaultRecord, _ secret: VaultSecret, _ budget: Int
    ) -> Vault {
        let vault = Vault(
            name, core, record.identifier, secret: secret,
            epoch: UInt32(clamping: record.table.firstEpoch), budget: budget)
        core.dependents.add(vault)
        return vault
    }

    func drop() throws(BullaError) {
        var transaction = try WriteTransaction(core, .full)
        guard let tree = try transaction.treeIfPresent(named: VaultRecord.treeName),
            try transaction.deleteIfPresent(name, in: tree)
        else { throw notFound }
        try transaction.commit()
    }

    func change<R>(
        _ vault: Vault,
        _ edit: (inout VaultRecord, borrowing MasterSecret) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        var transaction = try WriteTransaction(core, .full)
        guard let tree = try transaction.treeIfPresent(named: VaultRecord.treeName),
            let bytes = try transaction.value(forKey: name, in: tree)
        else { throw notFound }
        var record = try record(bytes)
        guard record.identifier == vault.identifier else { throw notFound }
        let secret = try check(record, of: vault, "change")
        let result = try edit(&record, secret.master)
        record.table.generation += 1
        let sealed = try self.bytes(of: record, secret)
        // Check that the vault is still unlocked: locking wipes the secret to zeros, and nothing
        // would open a record that was sealed under zeros.
        _ = try vault.secret("change")
        try transaction.put(sealed, forKey: name, in: tree)
        try transaction.commit()
        return result
    }

    /// Refuses a record unless a holder of the vault's secret wrote it.
    ///
    /// - Returns: the vault's secret.
    @discardableResult
    private func check(
        _ record: VaultRecord, of vault: Vault, _ attempt: String
    ) throws(BullaError) -> VaultSecret {
        let secret = try vault.secret(attempt)
        do throws(CipherError) {
            if try record.isAuthentic(under: secret.master) { return secret }
        } catch {
            _ = try vault.secret(attempt)
            throw BullaError.cipher("read \(place)", error)
        }
        // If the vault was locked meanwhile, throw `vaultLocked` instead: locking wipes the secret
        // to zeros, under which no record is authentic.
        _ = try vault.secret(attempt)
        throw changed
    }

    private func bytes(
        of record: VaultRecord, _ secret: VaultSecret
    ) throws(BullaError) -> [UInt8] {
        do throws(CipherError) { return try record.bytes(under: secret.master) } catch {
            throw BullaError.cipher("seal the record of \(place)", error)
        }
    }
}
