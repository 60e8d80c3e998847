internal import BullaCipher

/// One of up to eight ways into an encrypted store.
public struct KeySlot: Sendable, Hashable, Codable, Identifiable {
    /// What the slot's key comes from.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// 64 bytes that whoever opens the store has.
        case key
        /// A password, stretched.
        case password
        /// A key service, which unwraps the slot's key.
        case service
    }

    /// Names the slot in its store; never used again, also when the slot is removed.
    public let number: Int
    /// What the slot's key comes from; `nil` of a kind that this version does not know.
    public let kind: Kind?
    /// What the slot was called when it was made.
    public let label: String?
    /// How a password of it is stretched.
    public let stretching: PasswordStretching?

    /// The slot's number.
    public var id: Int { number }

    init(_ slot: KeyringSlot) {
        number = Int(slot.number)
        let kinds: [KeyringSlot.Kind: Kind] = [
            .key: .key, .password: .password, .service: .service,
        ]
        kind = slot.kind.flatMap { kinds[$0] }
        label = slot.label.isEmpty ? nil : String(decoding: slot.label, as: UTF8.self)
        stretching =
            slot.kind == .password ? PasswordStretching(decoding: slot.stretching) : nil
    }
}
