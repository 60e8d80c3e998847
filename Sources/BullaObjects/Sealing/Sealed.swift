public import Bulla
internal import BullaMemory
public import FoundationEssentials

/// A value that a vault seals separately, and opens only on request.
///
/// ```swift
/// @Model struct Employee {
///     @Key var number: Int
///     @Sealed(in: "passwords", history: 10) var pin: Sealed<String>
/// }
/// let pin = try employee.pin.open()
/// ```
///
/// Reading an object opens nothing, and needs no vault. An opened value is not kept. A sealed value
/// is bound to its object and property: its blob does not open in another place. Comparing sealed
/// values does not compile. Printed, dumped or encoded, a sealed value is the word `sealed`.
public struct Sealed<Value: Sealable>: Sendable {
    private enum Content: Sendable {
        case none
        case fresh(Value)
        case stored(StoredSeal)
    }

    private let content: Content

    /// An empty sealed value.
    public init() { content = .none }

    /// A value to be sealed when the object is stored.
    public init(_ value: Value) { content = .fresh(value) }

    init(_ seal: StoredSeal) { content = .stored(seal) }

    /// Whether there is no value, for example because the object is older than the property.
    public var isEmpty: Bool { if case .none = content { true } else { false } }

    /// When the value was sealed; `nil` if it is not stored.
    public var date: Date? {
        guard case .stored(let seal) = content else { return nil }
        return Date(timeIntervalSince1970: Double(seal.sequence) / 1e6)
    }

    /// Replaces the value.
    public mutating func change(to value: Value) { self = Sealed(value) }

    /// Opens the value.
    ///
    /// - Throws: `notFound` if there is no value; `sealed` if it does not open. The cause of
    ///   `sealed` is the vault's error: `vaultLocked` if the vault is locked, or the database does
    ///   not use it; `otherVault`; `sealDamaged` if the blob was changed, or sealed for another
    ///   object; `entityMismatch` if it was not sealed as a `Value`; `unsupportedFormat` if a newer
    ///   version sealed it; `outOfMemory`.
    /// - Complexity: one pass over its bytes; each call opens it again.
    public func open() throws(ObjectError) -> Value {
        switch content {
        case .none: throw ObjectError(.notFound, "open a sealed value: it is empty")
        case .fresh(let value): return value
        case .stored(let seal): return try seal.open(Value.self)
        }
    }
}

extension Sealed where Value == Secret {
    /// Lends the bytes of the value.
    ///
    /// The opened copy of a stored value is wiped when `body` returns or throws. A value that is
    /// not stored yet is not wiped.
    ///
    /// - Throws: what `body` throws; otherwise as ``open()``.
    public func withCleartext<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try open().withBytes(body)
    }
}

extension Sealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `sealed`.
    public var description: String { "sealed" }

    /// The word `sealed`.
    public var debugDescription: String { "sealed" }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sealed: Encodable {
    /// Encodes the word `sealed`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Sealed: PropertyValue {
    /// An optional sealed value.
    public static var propertyType: PropertyType {
        PropertyType(Value._isBytes ? .secret : .sealed, .optional)
    }

    /// Always throws: only an ``ObjectDraft``, which knows the object, can seal the value.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        throw ObjectError(
            .invalidModel, "write a sealed value: it belongs to a model, not to a value inside one")
    }

    /// The stored value, unopened.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        guard let value = bytes.value else {
            self.init()
            return
        }
        self.init(try StoredSeal(value, bytes))
    }
}

extension Sealed: SealedProperty {
    func bytes(
        at spot: SealedSpot, over former: SealedBytes?, by sealer: Sealer, _ property: SealedName
    ) throws(ObjectError) -> SealedBytes? {
        switch content {
        case .none: return nil
        case .fresh(let value): return try sealer.seal(value, at: spot, over: former, property)
        case .stored(let seal):
            if let bytes = seal.bytes(at: spot, over: former, in: sealer.bindings) { return bytes }
            return try sealer.seal(seal.open(Value.self), at: spot, over: former, property)
        }
    }
}
