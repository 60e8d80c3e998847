/// What a field can be asked for.
package struct FieldIndexes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A query may compare the field.
    package static let queryable = FieldIndexes(rawValue: 1)
    /// A query may order by the field.
    package static let sortable = FieldIndexes(rawValue: 2)
    /// A query may look for words in the field.
    package static let searchable = FieldIndexes(rawValue: 4)

    /// Each one with its name in a schema text, in the order in which a text lists them.
    package static let names: [(index: FieldIndexes, name: String)] = [
        (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
    ]

    /// One by one, in the order in which a text lists them.
    package var each: [FieldIndexes] { Self.names.map(\.index).filter(contains) }

    /// All that a field of this shape may have.
    ///
    /// An encrypted field has none, since the store never sees its value. An asset is not its
    /// bytes, so there is nothing to compare; a list and a location have no order.
    package static func allowed(for shape: FieldShape) -> FieldIndexes {
        let kind = shape.kind
        guard !shape.isEncrypted, kind.element != .asset else { return [] }
        var indexes: FieldIndexes = .queryable
        if kind.element.isOrdered, !kind.isList { indexes.insert(.sortable) }
        if kind.element == .string { indexes.insert(.searchable) }
        return indexes
    }

    /// What a field gets that a saved record brings into the schema, as CloudKit gives it.
    ///
    /// A reference alone is not made sortable, though it may be.
    package static func automatic(for shape: FieldShape) -> FieldIndexes {
        let allowed = allowed(for: shape)
        return shape.kind.element == .reference ? allowed.subtracting(.sortable) : allowed
    }
}

/// As a schema text lists them, with a space between two.
extension FieldIndexes: CustomStringConvertible {
    package var description: String {
        Self.names.filter { contains($0.index) }.map(\.name).joined(separator: " ")
    }
}
