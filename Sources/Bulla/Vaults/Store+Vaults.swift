internal import BullaCipher
internal import BullaMemory

/// The vaults of a store.
extension Store {
    /// Creates a vault, and opens it.
    ///
    /// - Parameters:
    ///   - name: the vault's name, of 1 to 255 bytes of UTF-8; in a plain store anybody can read
    ///     it.
    ///   - keys: the keys, passwords or key services that open the vault; at least one.
    ///   - labels: the labels of the slots, in the order of `keys`; if the list is shorter, the
    ///     remaining slots have none.
    ///   - lentByteLimit: how much cleartext may be lent at once, in all closures together.
    /// - Throws: `vaultExists`; `invalidArgument` for an impossible name or label, or no keys;
    ///   `keySlotsFull`; what `Store.write(durability:_:)` throws.
    /// - Complexity: one commit; also one stretching for each password.
    public func createVault(
        named name: String, keys: [StoreKey], labels: [String?] = [],
        lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(BullaError) -> Vault {
        try VaultStore(core, name).create(keys, labels, budget: lentByteLimit)
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - name: the vault's name.
    ///   - key: one of the keys that open the vault; a password is stretched once for each slot on
    ///     which it is tried.
    ///   - lentByteLimit: how much cleartext may be lent at once, in all closures together.
    /// - Throws: `vaultNotFound`; `wrongKey`; `keySlotNotFound`; `passwordParameters`;
    ///   `invalidArgument` for an impossible name; `corrupted` if the vault's record is damaged;
    ///   what ``makeSnapshot(visibility:)`` throws.
    public func openVault(
        named name: String, key: StoreKey, lentByteLimit: Int = Vault.defaultLentByteLimit
    ) throws(BullaError) -> Vault {
        try VaultStore(core, name).open(key, budget: lentByteLimit)
    }

    /// The names of the store's vaults, sorted by their bytes.
    ///
    /// - Throws: what reading throws (``TreeReader``).
    public func vaultNames() throws(BullaError) -> [String] { try VaultStore.names(core) }

    /// The slots that a vault claims to have.
    ///
    /// The call needs no key, so the slots are not authenticated.
    ///
    /// - Throws: `vaultNotFound`; `corrupted`; what reading throws (``TreeReader``).
    public func keySlots(ofVaultNamed name: String) throws(BullaError) -> [KeySlot] {
        try VaultStore(core, name).read().table.slots.map(KeySlot.init)
    }

    /// Drops a vault, so that it cannot be opened any more, and its blobs are lost.
    ///
    /// The vault's record stays in a free page until that page is reused. Until then, somebody who
    /// can read the store's pages can find the record, and open it with one of its keys; `compact`
    /// into another file does not copy it. A ``Vault`` that is open in any process can seal and
    /// open blobs until it is locked.
    ///
    /// - Throws: `vaultNotFound`; what `Store.write(durability:_:)` throws.
    public func dropVault(named name: String) throws(BullaError) {
        try VaultStore(core, name).drop()
    }
}

extension Vault {
    /// The default limit on cleartext that a vault lends at once, in bytes: 2 MiB.
    ///
    /// That is a quarter of what an ordinary process may lock.
    public static let defaultLentByteLimit = 2 << 20

    /// The vault's slots, which are authenticated.
    ///
    /// - Throws: `vaultLocked`; `vaultNotFound` if the vault was dropped; `corrupted` if somebody
    ///   who does not know its secret changed its record; what reading throws (``TreeReader``).
    public func keySlots() throws(BullaError) -> [KeySlot] {
        try VaultStore(core, name).readAuthentic(self).slots.map(KeySlot.init)
    }

    /// Adds a slot, so that one more key, password or key service opens the vault.
    ///
    /// Writes one record and no blob.
    ///
    /// - Returns: the slot's number.
    /// - Throws: `vaultLocked`; `vaultNotFound` if the vault was dropped; `keySlotsFull`;
    ///   `invalidArgument` for a label that is too long or taken; `corrupted` if somebody who does
    ///   not know the vault's secret changed its record; what `Store.write(durability:_:)` throws.
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

    /// Removes a slot, so that its key no longer opens the vault.
    ///
    /// The vault's secret stays the same. So somebody who has the removed key can still get the
    /// secret from an earlier copy of the file. The former record also stays in a free page of the
    /// store until that page is reused; `compact` into another file does not copy it.
    ///
    /// - Throws: `keySlotNotFound`; `lastKeySlot` if it is the only slot; otherwise as
    ///   `addSlot(for:label:)`.
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

    /// Gives a slot another key, password or key service.
    ///
    /// Writes one record and no blob. The slot keeps its number, and its label unless `label` or
    /// `key` supplies another one.
    ///
    /// The documentation of `removeSlot(_:)` says what the former key can still do.
    ///
    /// - Throws: `keySlotNotFound`; otherwise as `addSlot(for:label:)`.
    public func changeSlot(
        _ number: Int, to key: StoreKey, label: String? = nil
    ) throws(BullaError) {
        // Stretch a password before taking the writer lock, so that no writer waits for the
        // stretching.
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
