internal import BullaMemory
internal import FoundationEssentials

/// A value in JSON, of whatever type can be encoded.
///
/// The macro writes it for a property that is marked so:
///
/// ```swift
/// @Model struct Printer {
///     @Key var name: String
///     @Coded var settings: Settings       // a Codable type
/// }
/// ```
///
/// In a module whose code is on the main actor by default, the type is to be `nonisolated`.
///
/// It costs many times what properties of their own cost to read and to write, and no condition
/// looks into it: an ``Embedded`` type is better where there is a choice. Numbers and dates come
/// back exactly as they were.
public struct Coded<Value: Codable & Sendable>: SingleValue {
    /// What is stored.
    public let value: Value

    /// A value that is to be stored in JSON.
    public init(_ value: Value) { self.value = value }

    /// JSON.
    public static var kind: PropertyType.Kind { .coded }

    /// Appends the JSON.
    ///
    /// - Throws: `invalidModel` where the value cannot be encoded.
    public func write(to bytes: inout ValueBytes) throws(ObjectError) -> Bool {
        let encoder = JSONEncoder()
        // What is the same has the same bytes.
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else {
            throw ObjectError(.invalidModel, "encode a \(Value.self): it has no form in JSON")
        }
        bytes.bytes += data
        return true
    }

    /// The value whose JSON the bytes are.
    ///
    /// - Throws: `unknownValue` where they are JSON of another type, or none.
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
