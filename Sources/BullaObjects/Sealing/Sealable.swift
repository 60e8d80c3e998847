public import Bulla
public import FoundationEssentials

/// A type whose values a vault can seal one by one: see ``Sealed``.
///
/// A `Codable` type only has to declare the conformance. The opened value is then an ordinary one,
/// and copies of it can be anywhere in memory. An opened `Secret` stays in locked memory, which is
/// wiped when the last reference to the secret is released.
///
/// The requirements are public only because a public protocol cannot hide them: do not implement
/// or call them yourself.
public protocol Sealable: Sendable {
    /// Whether vaults seal a value as raw bytes, not encoded; a store never mistakes one form for
    /// the other.
    static var _isBytes: Bool { get }

    /// Seals the value in a blob that is bound to an identity.
    func _sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8]

    /// Whether a blob already holds the value.
    func _isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool

    /// The value in a blob.
    static func _opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self
}

extension Sealable where Self: Codable {
    /// Always `false`: a vault seals the value's encoding.
    public static var _isBytes: Bool { false }

    /// Seals the value's encoding.
    public func _sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] { try vault.seal(encoding: self, for: identity) }

    /// Whether a blob already holds the value's encoding.
    public func _isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool { try vault.holds(encoded: self, in: blob, for: identity) }

    /// The value whose encoding a blob holds.
    public static func _opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self { try vault.open(blob, as: Self.self, for: identity) }
}

/// Vaults seal a secret as raw bytes, which stay in locked memory during sealing and opening.
extension Secret: Sealable {
    /// Always `true`: a secret is sealed as raw bytes.
    public static var _isBytes: Bool { true }

    /// Seals the bytes.
    public func _sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] {
        try ofVault { try withBytes { try vault.seal($0, for: identity) } }
    }

    /// Whether a blob already holds the bytes.
    public func _isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool {
        try ofVault { try withBytes { try vault.holds($0, in: blob, for: identity) } }
    }

    /// A secret with the bytes in a blob.
    public static func _opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self {
        try ofVault { try vault.open(blob, for: identity) { try Self($0) } }
    }
}

/// Runs a closure with untyped throws, and narrows its errors to those of the store.
func ofVault<R>(_ body: () throws -> R) throws(BullaError) -> R {
    do {
        return try body()
    } catch {
        throw error as? BullaError ?? BullaError(.io, "use a vault: \(error)")
    }
}

extension Bool: Sealable {}
extension Int: Sealable {}
extension Int64: Sealable {}
extension UInt64: Sealable {}
extension Double: Sealable {}
extension String: Sealable {}
extension Date: Sealable {}
extension Data: Sealable {}
extension UUID: Sealable {}
extension Decimal: Sealable {}
extension Optional: Sealable where Wrapped: Codable & Sealable {}
extension Array: Sealable where Element: Codable & Sealable {}

/// Vaults seal a dictionary as a list sorted by key, because equal dictionaries may list their
/// entries in different orders.
extension Dictionary: Sealable where Key == String, Value: Codable & Sealable {
    private var sorted: [SealedEntry<Value>] {
        map { SealedEntry(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    /// Seals the entries' encoding.
    public func _sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] { try vault.seal(encoding: sorted, for: identity) }

    /// Whether a blob already holds the entries' encoding.
    public func _isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool { try vault.holds(encoded: sorted, in: blob, for: identity) }

    /// The entries whose encoding a blob holds.
    public static func _opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self {
        let entries = try vault.open(blob, as: [SealedEntry<Value>].self, for: identity)
        return Self(entries.map { ($0.key, $0.value) }) { _, last in last }
    }
}

private struct SealedEntry<Value: Codable>: Codable {
    let key: String
    let value: Value
}
