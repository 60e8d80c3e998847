internal import BullaCipher
internal import BullaMemory

/// The vaults of a store.
extension Store {
    /// Makes a vault, and opens it.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes; it stays readable in a plain store.
    ///   - keys: what opens it: passwords, keys, answers of key services; one at least.
    ///   - labels: of the slots, in the order of the keys; those that are missing have none.
    ///   - lentByteLimit: how much cleartext may be lent at once, in all closures together.
    /// - Throws: `vaultExists`; `invalidArgument`; `keySlotsFull`; `readOnly`; what committing
    ///   throws.
    public func createVault(
        _ name: String, keys: [StoreKey], labels: [String?] = [],
        lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(BullaError) -> Vault {
        try VaultStore(core, name).create(keys, labels, budget: lentByteLimit)
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - name: the vault's.
    ///   - key: one of those that open it; a password costs its stretching.
    ///   - lentByteLimit: how much cleartext may be lent at once, in all closures together.
    /// - Throws: `vaultNotFound`; `wrongKey`; `keySlotNotFound`; `passwordParameters`; `corrupted`
    ///   where the vault's record was changed.
    public func openVault(
        _ name: String, key: StoreKey, lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(BullaError) -> Vault {
        try VaultStore(core, name).open(key, budget: lentByteLimit)
    }

    /// The names of the vaults that the store has.
    public func vaultNames() throws(BullaError) -> [String] { try VaultStore.names(core) }

    /// The slots that a vault claims to have, without a key.
    ///
    /// - Throws: `vaultNotFound`; `corrupted`.
    public func vaultSlots(_ name: String) throws(BullaError) -> [KeySlot] {
        try VaultStore(core, name).read().table.slots.map(KeySlot.init)
    }

    /// Forgets a vault: what was sealed in it opens no more.
    ///
    /// Its record stays in a free page until the page is used again. There somebody who reads the
    /// store's pages can find it, and open it with a key that it had; `compact` into another file
    /// leaves it behind. A ``Vault`` that is open, in whatever process, goes on sealing and opening
    /// blobs until it is locked.
    ///
    /// - Throws: `vaultNotFound`; `readOnly`; what committing throws.
    public func dropVault(_ name: String) throws(BullaError) {
        try VaultStore(core, name).drop()
    }
}

extension Vault {
    /// How much cleartext a vault lends at once, where nothing else is said: 2 MiB, a quarter of
    /// what an ordinary process may lock.
    public static let defaultLentByteLimit = 2 << 20

    /// The slots of the vault.
    ///
    /// - Throws: `vaultLocked`; `vaultNotFound` where it was dropped; `corrupted` where somebody
    ///   changed its record who does not know its secret.
    public func keySlots() throws(BullaError) -> [KeySlot] {
        try VaultStore(core, name).readAuthentic(self).slots.map(KeySlot.init)
    }

    /// Adds a slot: one more key or password that opens the vault.
    ///
    /// No blob is touched.
    ///
    /// - Returns: the slot's number.
    /// - Throws: `vaultLocked`; `keySlotsFull`; `invalidArgument`; what committing throws.
    @discardableResult
    public func addSlot(for key: StoreKey, label: String? = nil) throws(BullaError) -> Int {
        let made = try key.makeSlot(label: label)
        return try change { record, secret throws(BullaError) in
            try SlotRules(place, record.table).check(made.form)
            do throws(CipherError) {
                return Int(
                    try record.table.add(
                        made.form, secret, under: made.key, headerDigest: record.digest))
            } catch { throw SlotRules.noRoom(place, error) }
        }
    }

    /// Removes a slot: what opened it opens the vault no more.
    ///
    /// Whoever had it, and a copy of the file from that time, still knows the vault's secret. So
    /// does whoever finds the former record in a free page of the store: it lies there until the
    /// page is used again, and `compact` into another file leaves it behind.
    ///
    /// - Throws: `vaultLocked`; `keySlotNotFound`; `lastKeySlot`; what committing throws.
    public func removeSlot(_ number: Int) throws(BullaError) {
        try change { record, _ throws(BullaError) in
            let slot = try SlotRules(place, record.table).slot(number)
            guard record.table.slots.count > 1 else {
                throw BullaError(
                    .lastKeySlot,
                    "remove key slot \(number) of \(place): it is the only way in; add another one "
                        + "first")
            }
            record.table.remove(slot.number)
        }
    }

    /// Gives a slot another key or password, by writing one record and no blob.
    ///
    /// What is said of the former key at ``removeSlot(_:)`` holds here too.
    ///
    /// - Throws: `vaultLocked`; `keySlotNotFound`; `invalidArgument`; what committing throws.
    public func changeSlot(
        _ number: Int, to key: StoreKey, label: String? = nil
    ) throws(BullaError) {
        // Stretched before the lock is taken, so that no writer waits for it.
        let made = try key.makeSlot(label: label)
        try change { record, secret throws(BullaError) in
            let rules = SlotRules(place, record.table)
            let form = try rules.form(made.form, inPlaceOf: number, keepsLabel: label == nil)
            do throws(CipherError) {
                try record.table.replace(
                    UInt32(number), form, secret, under: made.key, headerDigest: record.digest)
            } catch { throw SlotRules.noRoom(place, error) }
        }
    }

    /// Changes the vault's record in a transaction of its own.
    func change<R>(
        _ edit: (inout VaultRecord, borrowing MasterSecret) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try VaultStore(core, name).change(self, edit)
    }
}
