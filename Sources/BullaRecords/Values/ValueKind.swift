/// The kind of a single value of a field.
///
/// Sealed fields contain the kind's raw value, so a raw value is never reused for another kind.
package enum ValueKind: UInt8, CaseIterable, Sendable {
    case string = 1
    case int64 = 2
    case double = 3
    /// Milliseconds since 1970, in UTC.
    case timestamp = 4
    case bytes = 5
    case location = 6
    case reference = 7
    case asset = 8

    /// Whether a field of this kind can be encrypted.
    ///
    /// References and assets cannot be encrypted: the store itself has to know to which of them a
    /// record refers, so that it knows which records and assets it must keep, and which assets it
    /// can free. For the assets of private databases, see ``RecordSealer``.
    package var isSealable: Bool { self != .reference && self != .asset }

    /// Whether indexes can order values of this kind.
    package var isOrdered: Bool { self != .location && self != .asset }
}

/// The kind of a field: one value or a list.
package struct FieldKind: Hashable, Sendable {
    package let element: ValueKind
    package let isList: Bool

    package init(_ element: ValueKind, isList: Bool = false) {
        self.element = element
        self.isList = isList
    }

    /// The kind as one byte: the element's raw value, with the highest bit set for a list.
    package var tag: UInt8 { element.rawValue | (isList ? Self.listBit : 0) }

    /// The kind for a byte; `nil` if there is none.
    package init?(tag: UInt8) {
        guard let element = ValueKind(rawValue: tag & ~Self.listBit) else { return nil }
        self.init(element, isList: tag & Self.listBit != 0)
    }

    private static let listBit: UInt8 = 0x80
}
