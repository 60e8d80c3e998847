/// What knows the key of a slot: a key, a password, the answer of a key service.
package protocol SlotOpener {
    /// The slots that are worth trying, in this order; none where it names a slot that is not
    /// there.
    func choose(among slots: [KeyringSlot]) -> [KeyringSlot]

    /// The key of a slot that was chosen.
    func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey
}

extension UserKey: SlotOpener {
    /// All: a commitment costs microseconds, and a stretched key opens the slot of its password.
    package func choose(among slots: [KeyringSlot]) -> [KeyringSlot] { slots }

    package func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey { self }
}
