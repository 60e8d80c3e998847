/// Provides the keys of slots: from a key, a password, or the answer of a key service.
package protocol SlotOpener {
    /// The slots that are worth trying, in order; empty if the opener names a slot that does not
    /// exist.
    func choose(among slots: [KeyringSlot]) -> [KeyringSlot]

    /// The key of a slot that was chosen.
    func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey
}

extension UserKey: SlotOpener {
    /// All of them: a try takes microseconds, and the key may be one that a password stretches to.
    package func choose(among slots: [KeyringSlot]) -> [KeyringSlot] { slots }

    package func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey { self }
}
