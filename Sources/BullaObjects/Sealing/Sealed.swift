public import Bulla
internal import BullaMemory
public import FoundationEssentials

/// A value that a vault seals by itself, and that is opened only when it is looked at.
///
/// ```swift
/// @Model struct Employee {
///     @Key var number: Int
///     @Sealed(in: "passwords", history: 10) var pin: Sealed<String>
/// }
/// let pin = try employee.pin.open()
/// ```
///
/// Reading an object opens nothing, and needs no vault. What was opened is not kept. It is bound to
/// its object and property: a blob that was put in another's place does not open. It equals
/// nothing, not even itself; and printed, dumped or encoded it is `sealed`.
public struct Sealed<Value: Sealable>: Sendable {
    private enum Content: Sendable {
        case none
        case fresh(Value)
        case stored(StoredSeal)
    }

    private let content: Content

    /// Nothing.
    public init() { content = .none }

    /// A value that is to be sealed when the object is stored.
    public init(_ value: Value) { content = .fresh(value) }

    init(_ seal: StoredSeal) { content = .stored(seal) }

    /// Whether there is nothing: the object is older than the property, say.
    public var isEmpty: Bool { if case .none = content { true } else { false } }

    /// When the value was sealed; `nil` for one that is not stored.
    public var date: Date? {
        guard case .stored(let seal) = content else { return nil }
        return Date(timeIntervalSince1970: Double(seal.sequence) / 1e6)
    }

    /// Puts another value in its place.
    public mutating func change(to value: Value) { self = Sealed(value) }

    /// Opens the value.
    ///
    /// - Throws: `notFound` where there is nothing; `sealed` where it does not open, with what the
    ///   vault says as the error's cause: `vaultLocked`, also where the database was not given the
    ///   vault; `otherVault`; `sealDamaged` where it was changed, or sealed for another object;
    ///   `entityMismatch` where it is of another type; `outOfMemory`.
    /// - Complexity: one pass over its bytes; it is opened anew each time.
    public func open() throws(ObjectError) -> Value {
        switch content {
        case .none: throw ObjectError(.notFound, "open what is sealed: there is nothing")
        case .fresh(let value): return value
        case .stored(let seal): return try seal.open(Value.self)
        }
    }
}

extension Sealed where Value == Secret {
    /// Lends the bytes of the value, which are wiped when `body` ends, however it ends.
    ///
    /// - Throws: what `body` throws; as ``open()``.
    public func withCleartext<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try open().withBytes(body)
    }
}

extension Sealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `sealed`, whatever it holds.
    public var description: String { "sealed" }

    /// The word `sealed`, whatever it holds.
    public var debugDescription: String { "sealed" }

    /// Nothing.
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
    /// One that is sealed, or none.
    public static var propertyType: PropertyType {
        PropertyType(Value.isBytes ? .secret : .sealed, .optional)
    }

    /// Throws: it is sealed once it is known whose it is, by ``ObjectDraft``.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        throw ObjectError(
            .invalidModel, "write what is sealed: it belongs to a model, not to a value inside one")
    }

    /// What is stored there, unopened.
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
