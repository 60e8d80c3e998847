public import Bulla
public import FoundationEssentials

/// What a property can hold that a vault seals by itself: see ``Sealed``.
///
/// A type that can be encoded and decoded has to say no more than that it conforms. What a program
/// gets of it is then an ordinary value, of which nobody knows where it is copied to; a `Secret`
/// stays in memory that is locked and wiped.
public protocol Sealable: Sendable {
    /// Whether it is sealed as bytes, and not encoded: a store never takes one for the other.
    static var isBytes: Bool { get }

    /// Seals the value for a place.
    func sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8]

    /// Whether a blob holds the value already.
    func isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool

    /// The value that a blob holds.
    static func opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self
}

extension Sealable where Self: Codable {
    /// It is encoded.
    public static var isBytes: Bool { false }

    /// Seals the value's encoding.
    public func sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] { try vault.seal(encoding: self, for: identity) }

    /// Whether a blob holds the value's encoding.
    public func isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool { try vault.holds(encoded: self, in: blob, for: identity) }

    /// The value whose encoding a blob holds.
    public static func opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self { try vault.open(blob, as: Self.self, for: identity) }
}

/// Its bytes, which are in locked memory on either side.
extension Secret: Sealable {
    /// It is sealed as it is.
    public static var isBytes: Bool { true }

    /// Seals the bytes.
    public func sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] {
        try ofVault { try withBytes { try vault.seal($0, for: identity) } }
    }

    /// Whether a blob holds the bytes.
    public func isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool {
        try ofVault { try withBytes { try vault.holds($0, in: blob, for: identity) } }
    }

    /// A secret of the bytes that a blob holds.
    public static func opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Self {
        try ofVault { try vault.open(blob, for: identity) { try Self($0) } }
    }
}

/// Runs what throws the store's errors, through closures that do not say so.
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

/// As a list that is sorted by its keys: dictionaries that are equal may give their entries in
/// different orders.
extension Dictionary: Sealable where Key == String, Value: Codable & Sealable {
    private var sorted: [SealedEntry<Value>] {
        map { SealedEntry(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    /// Seals the entries' encoding.
    public func sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] { try vault.seal(encoding: sorted, for: identity) }

    /// Whether a blob holds the entries' encoding.
    public func isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool { try vault.holds(encoded: sorted, in: blob, for: identity) }

    /// The entries whose encoding a blob holds.
    public static func opened(
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
