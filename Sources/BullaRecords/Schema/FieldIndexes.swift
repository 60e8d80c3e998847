/// What queries can use a field for.
package struct FieldIndexes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Queries can compare the field.
    package static let queryable = FieldIndexes(rawValue: 1)
    /// Queries can sort by the field.
    package static let sortable = FieldIndexes(rawValue: 2)
    /// Queries can search for words in the field.
    package static let searchable = FieldIndexes(rawValue: 4)

    /// The indexes with their names, in the order of a schema text.
    package static let names: [(index: FieldIndexes, name: String)] = [
        (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
    ]

    /// These indexes one by one, in the order of a schema text.
    package var each: [FieldIndexes] { Self.names.map(\.index).filter(contains) }

    /// All indexes that a field of this shape can have.
    ///
    /// An encrypted field has none, since the store never sees its value. An asset's bytes are
    /// stored elsewhere, so there is nothing to compare. Lists and locations have no order.
    package static func allowed(for shape: FieldShape) -> FieldIndexes {
        let kind = shape.kind
        guard !shape.isEncrypted, kind.element != .asset else { return [] }
        var indexes: FieldIndexes = .queryable
        if kind.element.isOrdered, !kind.isList { indexes.insert(.sortable) }
        if kind.element == .string { indexes.insert(.searchable) }
        return indexes
    }

    /// The indexes that CloudKit gives to a field when a saved record adds the field to the schema.
    ///
    /// These are all that the field can have, except that a reference is not made sortable.
    package static func automatic(for shape: FieldShape) -> FieldIndexes {
        let allowed = allowed(for: shape)
        return shape.kind.element == .reference ? allowed.subtracting(.sortable) : allowed
    }
}

/// The form in a schema text: names separated by spaces.
extension FieldIndexes: CustomStringConvertible {
    package var description: String {
        Self.names.filter { contains($0.index) }.map(\.name).joined(separator: " ")
    }
}
