/// Provides the keys of slots: from a key, a password, or the answer of a key service.
package protocol SlotOpener {
    /// The slots that are worth trying, in order; empty if none is, for example because no slot has
    /// the label that the opener asks for.
    func choose(among slots: [KeyringSlot]) -> [KeyringSlot]

    /// The key of a slot that was chosen.
    func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey
}

extension UserKey: SlotOpener {
    /// All slots, including those of passwords, because a try takes microseconds, and the key may
    /// be what a password was stretched to.
    package func choose(among slots: [KeyringSlot]) -> [KeyringSlot] { slots }

    package func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey { self }
}
