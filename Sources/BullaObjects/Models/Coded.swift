internal import BullaMemory
internal import FoundationEssentials

/// A value of any `Codable` type, stored as JSON.
///
/// The macro `@Model` uses this type for a property marked `@Coded`:
///
/// ```swift
/// @Model struct Printer {
///     @Key var name: String
///     @Coded var settings: Settings       // a Codable type
/// }
/// ```
///
/// In a module whose code is on the main actor by default, the coded type must be `nonisolated`.
///
/// Reading and writing such a value costs many times what separate properties cost, and conditions
/// cannot look into it, so prefer an ``Embedded`` type if you have the choice. Numbers and dates
/// are read back exactly as they were.
public struct Coded<Value: Codable & Sendable>: SingleValue {
    /// The value.
    public let value: Value

    /// A value to store as JSON.
    public init(_ value: Value) { self.value = value }

    /// The kind of a JSON value.
    public static var kind: PropertyType.Kind { .coded }

    /// Appends the JSON.
    ///
    /// - Throws: `invalidModel` if the value cannot be encoded.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        let encoder = JSONEncoder()
        // Equal values must have equal bytes.
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else {
            throw ObjectError(.invalidModel, "encode a \(Value.self): it has no form in JSON")
        }
        bytes.bytes += data
        return true
    }

    /// Decodes a value from JSON.
    ///
    /// - Throws: `unknownValue` if the bytes are not JSON, or are JSON of another type.
    public init(from bytes: borrowing PropertyBytes) throws(ObjectError) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let data = Data(try bytes.present().copied())
        guard let value = try? decoder.decode(Value.self, from: data) else {
            throw bytes.unknown()
        }
        self.value = value
    }
}

extension Coded: Equatable where Value: Equatable {}
extension Coded: Hashable where Value: Hashable {}
