internal import BullaCipher

/// Changes which keys open an encrypted store.
extension Store {
    /// Adds a slot, so that one more key, password or key service opens the store.
    ///
    /// The call writes the keyring and the commit record twice each, however large the store is.
    ///
    /// - Parameters:
    ///   - key: the additional key, password or key service.
    ///   - label: the slot's label, of at most 63 bytes, which no other slot may have. A password
    ///     that names no label is tried on at most three slots, so a fourth password slot without
    ///     a label is refused.
    /// - Returns: the slot's number.
    /// - Throws: `keySlotsFull` if the keyring has eight slots, or no room for another;
    ///   `invalidArgument` for a label that is too long or taken; `notEncrypted`, `readOnly`,
    ///   `busy`, `closed`, `usedAfterFork`. After these, nothing has changed. After `replaced`,
    ///   `poisoned`, `corrupted` or `io`, as after a crash, the slot may or may not exist. After
    ///   `notYetDurable` the slot exists, unless a crash comes before the next flush.
    @discardableResult
    public func addSlot(
        for key: StoreKey, label: String? = nil
    ) throws(BullaError) -> Int {
        let made = try key.makeSlot(label: label)
        return try KeyringChange(core: core).run("add a key slot to") {
            table, secret throws(BullaError) in
            try SlotRules(core.parts.path, table).check(made.form)
            do throws(CipherError) {
                return Int(
                    try table.add(
                        made.form, secret.master, under: made.key,
                        headerDigest: core.parts.header.digest))
            } catch { throw SlotRules.noRoom(core.parts.path, error) }
        }
    }

    /// Removes a slot, so that its key no longer opens the store.
    ///
    /// The master secret stays. So an attacker who has the removed key and an earlier copy of the
    /// file can still read later writes. Use `reencrypt(keys:)` to replace the master secret.
    ///
    /// - Throws: `keySlotNotFound`; `lastKeySlot` if it is the only slot; otherwise as
    ///   `addSlot(for:label:)`.
    public func removeSlot(_ number: Int) throws(BullaError) {
        try KeyringChange(core: core).run("remove a key slot of") {
            table, _ throws(BullaError) in
            let slot = try SlotRules(core.parts.path, table).slot(number)
            guard table.slots.count > 1 else {
                throw BullaError(
                    .lastKeySlot,
                    "remove key slot \(number) of \(core.parts.path): it is the only way in; add "
                        + "another one first")
            }
            table.remove(slot.number)
        }
    }

    /// Gives a slot another key, password or key service.
    ///
    /// The slot keeps its number. It keeps its label unless `label` or `key` names another one.
    ///
    /// - Throws: `keySlotNotFound`; otherwise as `addSlot(for:label:)`.
    public func changeSlot(
        _ number: Int, to key: StoreKey, label: String? = nil
    ) throws(BullaError) {
        // Stretch a password before taking the lock, so that no writer waits for the stretching.
        let made = try key.makeSlot(label: label)
        try KeyringChange(core: core).run("change a key slot of") {
            table, secret throws(BullaError) in
            let rules = SlotRules(core.parts.path, table)
            let form = try rules.form(
                made.form, inPlaceOf: number, keepsLabel: label == nil)
            do throws(CipherError) {
                try table.replace(
                    UInt32(number), form, secret.master, under: made.key,
                    headerDigest: core.parts.header.digest)
            } catch { throw SlotRules.noRoom(core.parts.path, error) }
        }
    }

    /// Replaces the key with which this store was opened.
    ///
    /// The slot that opened the store gets the new key, and nothing else changes: the pages stay
    /// under the same data keys, and processes that have the store open keep working. When the call
    /// returns, the former key no longer opens this file.
    ///
    /// If a crash interrupts the call, the store opens with the former key, the new key or both.
    /// The next process that opens the store for writing, while no other process has it open, makes
    /// its own key the slot's only key.
    ///
    /// The master secret stays. So an attacker who has the former key and an earlier copy of the
    /// file can still read later writes. Use `reencrypt(keys:)` to replace the master secret.
    ///
    /// - Throws: `notEncrypted` for a plain store, `readOnly`, `busy`, `closed`, `usedAfterFork`;
    ///   `keySlotNotFound` if the slot was removed meanwhile. After these, nothing has changed.
    ///   After `replaced`, `poisoned`, `corrupted` or `io`, as after a crash, the store may open
    ///   with either of the two keys. After `notYetDurable` it opens with the new key, unless a
    ///   crash comes before the next flush.
    public func changeKey(to key: StoreKey) throws(BullaError) {
        guard let keyring = core.parts.keyring else {
            throw BullaError.plain("change the key of \(path)")
        }
        try changeSlot(Int(keyring.slot), to: key)
    }
}
