internal import BullaCipher

/// One of up to eight ways to open an encrypted store or a vault.
public struct KeySlot: Sendable, Hashable, Codable, Identifiable {
    /// The source of a slot's key.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A key of 64 bytes, which the opener supplies.
        case key
        /// A password, which is stretched to a key.
        case password
        /// A key service, which unwraps the slot's key.
        case service
    }

    /// The number that names the slot in its store or vault; never reused, even after the slot is
    /// removed.
    public let number: Int
    /// The source of the slot's key; `nil` if this version of Bulla does not know the kind.
    public let kind: Kind?
    /// The slot's label; `nil` if it has none.
    public let label: String?
    /// How the slot's password is stretched; `nil` if the slot is not for a password.
    public let stretching: PasswordStretching?

    /// The slot's number, ``number``.
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
