/// A type whose values are objects of a store.
///
/// The macro `@Model` writes a conformance. You can also write one by hand:
///
/// ```swift
/// struct City: Model {
///     var name: String
///     var inhabitants: Int
///
///     struct Columns: Sendable {
///         let name = Column<City, String>(0)
///         let inhabitants = Column<City, Int>(1)
///     }
///
///     static let columns = Columns()
///     static let modelName = "City"
///     static let modelDefinition = ModelDefinition(
///         modelName,
///         properties: [
///             PropertyDefinition("name", String.self),
///             PropertyDefinition("inhabitants", Int.self),
///         ], key: [0])
///
///     var modelKey: ModelKey<String> { ModelKey(name) }
///
///     init(from stored: borrowing StoredObject) throws(ObjectError) {
///         name = try stored.read(at: 0)
///         inhabitants = try stored.read(at: 1)
///     }
///
///     func write(to draft: inout ObjectDraft) throws(ObjectError) {
///         try draft.write(name, at: 0)
///         try draft.write(inhabitants, at: 1)
///     }
/// }
/// ```
public protocol Model: Sendable {
    /// The columns by which conditions, orders and indexes name the model's properties.
    associatedtype Columns: Sendable
    /// The type of the key, which states the types of its parts.
    associatedtype Key: ObjectKey

    /// The columns of the model's properties, for conditions.
    static var columns: Columns { get }
    /// The model's name in a store, and in links to the model.
    static var modelName: String { get }
    /// The model's name, properties, key and indexes.
    static var modelDefinition: ModelDefinition { get }

    /// The object's key.
    var modelKey: Key { get }

    /// Reads the properties by their ordinals.
    init(from stored: borrowing StoredObject) throws(ObjectError)

    /// Writes each property once.
    func write(to draft: inout ObjectDraft) throws(ObjectError)
}

/// The key of a model's objects.
public protocol ObjectKey: Sendable, Hashable {
    /// The stored parts of the key.
    var parts: [Scalar] { get }

    /// The key made of these parts, or `nil` if they do not fit.
    init?(parts: [Scalar])
}

/// A key of one or several parts.
public struct ModelKey<each Part: Storable & Hashable>: ObjectKey {
    /// The parts, in order.
    public let values: (repeat each Part)

    /// A key made of these parts.
    public init(_ values: repeat each Part) { self.values = (repeat each values) }

    /// The stored parts of the key.
    public var parts: [Scalar] {
        var parts: [Scalar] = []
        for part in repeat each values { parts.append(part.scalar) }
        return parts
    }

    /// The key made of these parts, or `nil` if they do not fit.
    public init?(parts: [Scalar]) {
        guard let values = try? Self.values(parts) else { return nil }
        self.values = values
    }

    private static func values(_ parts: [Scalar]) throws -> (repeat each Part) {
        let reader = KeyPartReader(parts)
        let values = (repeat try reader.next((each Part).self))
        guard reader.isAtEnd else { throw KeyPartReader.Mismatch() }
        return values
    }

    /// Whether the stored parts of both keys are equal.
    public static func == (one: Self, other: Self) -> Bool { one.parts == other.parts }

    /// Hashes the stored parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

/// Hands out the parts of a key one by one; a class, because a pack expansion cannot advance a
/// local variable.
private final class KeyPartReader {
    struct Mismatch: Error {}

    private var rest: ArraySlice<Scalar>

    init(_ parts: [Scalar]) { rest = parts[...] }

    var isAtEnd: Bool { rest.isEmpty }

    func next<Part: Storable>(_ type: Part.Type) throws -> Part {
        guard let scalar = rest.popFirst(), let part = Part(scalar: scalar) else {
            throw Mismatch()
        }
        return part
    }
}
