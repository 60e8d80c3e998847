/// A type whose values are objects of a store.
///
/// The macro `@Model` writes a conformance; one that is written by hand does as well:
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
///     static let definition = ModelDefinition(
///         modelName,
///         properties: [
///             PropertyDefinition("name", String.self),
///             PropertyDefinition("inhabitants", Int.self),
///         ], key: [0])
///
///     var modelKey: ModelKey<String> { ModelKey(name) }
///
///     init(from stored: borrowing StoredObject) throws(ObjectError) {
///         name = try stored.read(0)
///         inhabitants = try stored.read(1)
///     }
///
///     func write(to draft: inout ObjectDraft) throws(ObjectError) {
///         try draft.write(name, 0)
///         try draft.write(inhabitants, 1)
///     }
/// }
/// ```
public protocol Model: Sendable {
    /// What conditions, orders and indexes name its properties by.
    associatedtype Columns: Sendable
    /// The types of its key's parts.
    associatedtype Key: ObjectKey

    /// Its properties, as conditions name them.
    static var columns: Columns { get }
    /// The name that a store knows it by; links name it, and look at nothing else of it.
    static var modelName: String { get }
    /// Its name, properties, key and indexes.
    static var definition: ModelDefinition { get }

    /// Its key.
    var modelKey: Key { get }

    /// Reads the properties, by their ordinals.
    init(from stored: borrowing StoredObject) throws(ObjectError)

    /// Writes the properties, each once.
    func write(to draft: inout ObjectDraft) throws(ObjectError)
}

/// The key of a model's objects.
public protocol ObjectKey: Sendable, Hashable {
    /// What is stored of it, part by part.
    var parts: [Scalar] { get }

    /// The key of these parts, or `nil` where it has no such.
    init?(parts: [Scalar])
}

/// A key of one part or several.
public struct ModelKey<each Part: Storable & Hashable>: ObjectKey {
    /// The parts, in order.
    public let values: (repeat each Part)

    /// A key of these parts.
    public init(_ values: repeat each Part) { self.values = (repeat each values) }

    /// What is stored of it, part by part.
    public var parts: [Scalar] {
        var parts: [Scalar] = []
        for part in repeat each values { parts.append(part.scalar) }
        return parts
    }

    /// The key of these parts, or `nil` where it has no such.
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

    /// Whether all parts are stored alike.
    public static func == (one: Self, other: Self) -> Bool { one.parts == other.parts }

    /// Hashes what makes two of them equal.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

/// Takes the parts of a key one by one; a pack cannot be gone through with a variable.
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
