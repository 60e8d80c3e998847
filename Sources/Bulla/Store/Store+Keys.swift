internal import BullaCipher
internal import BullaMemory

/// The key slots of an encrypted store.
extension Store {
    /// The slots of the keyring, in the order in which they were added.
    ///
    /// - Throws: `notEncrypted` for a plain store; `closed`, `usedAfterFork`, `corrupted`,
    ///   `replaced`, `io`.
    public func keySlots() throws(BullaError) -> [KeySlot] {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            return try KeyringChange(core: core).namedTable("list the key slots of")
                .slots.map(KeySlot.init)
        }
    }

    /// The number of the slot with which this store was opened; `nil` for a plain store.
    public var openedSlot: Int? { core.parts.keyring.map { Int($0.slot) } }

    /// The slots that the file at `path` claims to have.
    ///
    /// The call needs no key, so the slots are not authenticated.
    ///
    /// - Throws: `notEncrypted`, `notAStore`, `unsupportedFormat`, `corrupted`, `io`.
    public static func keySlots(at path: String) throws(BullaError) -> [KeySlot] {
        try ClosedKeyring(at: path).claimedSlots().map(KeySlot.init)
    }

    /// Whether a key opens the store at `path`; the call itself does not open the store.
    ///
    /// The call reads the first 64 KiB, takes no lock, and writes nothing. A password is stretched
    /// once for each slot on which it is tried.
    ///
    /// - Throws: `notEncrypted`, `notAStore`, `unsupportedFormat`, `corrupted`, `io`;
    ///   `passwordParameters` if a slot's parameters for stretching are out of bounds.
    public static func verifyKey(
        _ key: StoreKey, at path: String
    ) throws(BullaError) -> Bool {
        try ClosedKeyring(at: path, key).isOpened()
    }
}
