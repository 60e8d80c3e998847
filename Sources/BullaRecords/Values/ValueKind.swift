/// What a single value of a field is.
///
/// The raw value stands in sealed fields, so none is ever given to another kind.
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

    /// Whether a field of this kind may be sealed.
    ///
    /// A reference and an asset are looked at by the store itself: to keep what they lead to, and
    /// to free it.
    package var isSealable: Bool { self != .reference && self != .asset }

    /// Whether values of this kind have an order that an index can stand in.
    package var isOrdered: Bool { self != .location && self != .asset }
}

/// What a field holds: one value or a list of them.
package struct FieldKind: Hashable, Sendable {
    package let element: ValueKind
    package let isList: Bool

    package init(_ element: ValueKind, isList: Bool = false) {
        self.element = element
        self.isList = isList
    }

    /// One byte that stands for it: the element's, with the highest bit set for a list.
    package var tag: UInt8 { element.rawValue | (isList ? Self.listBit : 0) }

    /// The kind that a byte stands for; `nil` where it stands for none.
    package init?(tag: UInt8) {
        guard let element = ValueKind(rawValue: tag & ~Self.listBit) else { return nil }
        self.init(element, isList: tag & Self.listBit != 0)
    }

    private static let listBit: UInt8 = 0x80
}
