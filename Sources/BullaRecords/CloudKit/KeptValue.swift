internal import Foundation

/// A type whose values a caller can set in a field, and which knows their stored form.
protocol KeptValue {
    /// The kind of an empty list of values of this type; `nil` if the type does not determine it.
    static var elementKind: ValueKind? { get }

    /// The stored form, except that a reference within the caller's own database gets its owner
    /// later.
    func kept() throws(ValueRefusal) -> RecordValue
}

/// Why a value cannot be stored.
struct ValueRefusal: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension RecordValue {
    /// The stored form of a caller's value.
    static func kept(_ value: Any) throws(ValueRefusal) -> RecordValue {
        guard let value = value as? any KeptValue else {
            throw ValueRefusal("no field can hold a \(type(of: value))")
        }
        return try value.kept()
    }

    /// The stored form of a caller's list; if it contains a floating-point number, its integers
    /// become floating-point numbers, too.
    static func list(
        _ values: some Sequence<Any>, of kind: ValueKind?
    ) throws(ValueRefusal) -> RecordValue {
        var elements: [RecordValue] = []
        for value in values { elements.append(try kept(value)) }
        if elements.contains(where: { $0.kind == FieldKind(.double) }) {
            elements = elements.map { element in
                if case .int64(let number) = element { .double(Double(number)) } else { element }
            }
        }
        guard let kind = elements.first?.kind.element ?? kind else {
            throw ValueRefusal("an empty list has no kind: pass an array of one type")
        }
        guard elements.allSatisfy({ $0.kind == FieldKind(kind) }) else {
            throw ValueRefusal("a list holds values of one kind, and no lists")
        }
        return .list(kind, elements)
    }
}

extension FixedWidthInteger {
    fileprivate func keptNumber() throws(ValueRefusal) -> RecordValue {
        guard let number = Int64(exactly: self) else {
            throw ValueRefusal("the number does not fit in a signed integer of 64 bits")
        }
        return .int64(number)
    }
}

/// An integer type.
protocol KeptInteger: KeptValue, FixedWidthInteger {}

extension KeptInteger {
    static var elementKind: ValueKind? { .int64 }
    func kept() throws(ValueRefusal) -> RecordValue { try keptNumber() }
}

extension Int: KeptInteger {}
extension Int8: KeptInteger {}
extension Int16: KeptInteger {}
extension Int32: KeptInteger {}
extension Int64: KeptInteger {}
extension UInt: KeptInteger {}
extension UInt8: KeptInteger {}
extension UInt16: KeptInteger {}
extension UInt32: KeptInteger {}
extension UInt64: KeptInteger {}

extension Bool: KeptValue {
    static var elementKind: ValueKind? { .int64 }
    func kept() throws(ValueRefusal) -> RecordValue { .int64(self ? 1 : 0) }
}

extension Double: KeptValue {
    static var elementKind: ValueKind? { .double }
    func kept() throws(ValueRefusal) -> RecordValue { .double(self) }
}

extension Float: KeptValue {
    static var elementKind: ValueKind? { .double }
    func kept() throws(ValueRefusal) -> RecordValue { .double(Double(self)) }
}

extension String: KeptValue {
    static var elementKind: ValueKind? { .string }
    func kept() throws(ValueRefusal) -> RecordValue { .string(self) }
}

extension Date: KeptValue {
    static var elementKind: ValueKind? { .timestamp }

    func kept() throws(ValueRefusal) -> RecordValue {
        guard let milliseconds else { throw ValueRefusal("the date is too far away") }
        return .timestamp(milliseconds)
    }
}

extension Data: KeptValue {
    static var elementKind: ValueKind? { .bytes }
    func kept() throws(ValueRefusal) -> RecordValue { .bytes([UInt8](self)) }
}

extension Array: KeptValue where Element: KeptValue {
    static var elementKind: ValueKind? { nil }

    func kept() throws(ValueRefusal) -> RecordValue {
        try .list(self, of: Element.elementKind)
    }
}

extension CKLocation: KeptValue {
    static var elementKind: ValueKind? { .location }

    func kept() throws(ValueRefusal) -> RecordValue {
        guard let stored else { throw ValueRefusal("the location's date is too far away") }
        return .location(stored)
    }
}

extension CKReference: KeptValue {
    static var elementKind: ValueKind? { .reference }

    func kept() throws(ValueRefusal) -> RecordValue {
        do throws(RecordError) {
            return .reference(RecordReference(try recordID.identifier(), action: action.stored))
        } catch { throw ValueRefusal(error.reason) }
    }
}

extension CKAsset: KeptValue {
    static var elementKind: ValueKind? { .asset }

    func kept() throws(ValueRefusal) -> RecordValue {
        // Assets that a field can hold do not get here, because `RecordState.Change.assets` takes
        // them.
        throw ValueRefusal("only a plain field can hold an asset, or a list of nothing but assets")
    }
}
