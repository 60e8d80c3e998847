/// Provides the keys of slots: from a key, a password, or the answer of a key service.
package protocol SlotOpener {
    /// The slots that are worth trying, in order; empty if the opener names a slot that does not
    /// exist.
    func choose(among slots: [KeyringSlot]) -> [KeyringSlot]

    /// The key of a slot that was chosen.
    func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey
}

extension UserKey: SlotOpener {
    /// All slots, also those of passwords: a try takes microseconds, and the key may be one to
    /// which a password was stretched.
    package func choose(among slots: [KeyringSlot]) -> [KeyringSlot] { slots }

    package func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey { self }
}
