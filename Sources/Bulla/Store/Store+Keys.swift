internal import BullaCipher
internal import BullaMemory

/// The ways into an encrypted store.
extension Store {
    /// The slots of the keyring, in the order in which they were added.
    ///
    /// - Throws: `notEncrypted` for a plain store; `closed`; `usedAfterFork`; `corrupted`; `io`.
    public func keySlots() throws(BullaError) -> [KeySlot] {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            return try KeyringChange(core: core).namedTable("list the key slots of")
                .slots.map(KeySlot.init)
        }
    }

    /// Adds a slot: one more key, password or key service that opens the store.
    ///
    /// It costs two records, whatever the size of the store.
    ///
    /// - Parameters:
    ///   - key: what is to open the store, too.
    ///   - label: what the slot is called; at most 63 bytes, and no other slot's label. A password
    ///     without a label is tried on three slots at most, so a fourth such slot is refused.
    /// - Returns: the slot's number.
    /// - Throws: `keySlotsFull` where there are eight, or no room; `invalidArgument` for a label
    ///   that is too long or taken; `notEncrypted`, `readOnly`, `busy`: nothing was changed.
    ///   `replaced`, `poisoned`, `io`: it is open whether the slot is there, as after a crash.
    ///   `notYetDurable`: it is there, unless a crash comes before the next flush.
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

    /// Removes a slot: what opened it opens the store no more.
    ///
    /// An attacker who had it, and a copy of the file from that time, can still read what is
    /// written later, because the master secret stays:
    /// `reencrypt(keys:)` makes another one.
    ///
    /// - Throws: `keySlotNotFound`; `lastKeySlot` where it is the only one; otherwise as
    ///   ``addSlot(for:label:)``.
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
    /// The slot keeps its number. It keeps its label unless one is given here or with the password.
    ///
    /// - Throws: `keySlotNotFound`; otherwise as ``addSlot(for:label:)``.
    public func changeSlot(
        _ number: Int, to key: StoreKey, label: String? = nil
    ) throws(BullaError) {
        // Stretched before the lock is taken, so that no writer waits for it.
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

    /// Gives the store another key in the place of the one that it was opened with.
    ///
    /// The slot that opened the store gets the new key, and nothing else changes: the pages stay
    /// under the same data keys, and who has the store open goes on. When the call returns, the
    /// former key opens nothing any more of this file; where a crash cuts it short, the store opens
    /// under the one or the other, and the first who then opens it alone, to write, makes that key
    /// the only one of the slot.
    ///
    /// An attacker who had the former key, and a copy of the file from that time, can still read
    /// what is written later: `reencrypt(keys:)` replaces the
    /// secret itself.
    ///
    /// - Throws: `notEncrypted` for a plain store, `readOnly`, `busy`; `keySlotNotFound` where the
    ///   slot was removed meanwhile: nothing was changed. `replaced`, `poisoned`, `io`: it is open
    ///   which of the two keys holds, as after a crash. `notYetDurable`: the new key holds, unless
    ///   a crash comes before the next flush.
    public func changeKey(to key: StoreKey) throws(BullaError) {
        guard let keyring = core.parts.keyring else {
            throw BullaError.plain("change the key of \(path)")
        }
        try changeSlot(Int(keyring.slot), to: key)
    }

    /// The number of the slot that this store was opened with; `nil` in a plain store.
    public var openedSlot: Int? { core.parts.keyring.map { Int($0.slot) } }

    /// The slots that the file at `path` claims to have, without a key.
    ///
    /// - Throws: `notEncrypted`, `notAStore`, `unsupportedFormat`, `corrupted`, `io`.
    public static func keySlots(at path: String) throws(BullaError) -> [KeySlot] {
        try ClosedKeyring(at: path).claimedSlots().map(KeySlot.init)
    }

    /// Whether a key opens the store at `path`, without opening it.
    ///
    /// Reads the first 64 KiB, takes no lock, and writes nothing. A password costs its stretching.
    ///
    /// - Throws: `notEncrypted`, `notAStore`, `unsupportedFormat`, `corrupted`, `io`; and what the
    ///   key's parameters are refused with.
    public static func verifyKey(
        _ key: StoreKey, at path: String
    ) throws(BullaError) -> Bool {
        try ClosedKeyring(at: path, key).isOpened()
    }
}
