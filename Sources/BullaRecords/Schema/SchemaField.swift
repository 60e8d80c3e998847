/// A field of a record type.
package struct SchemaField: Hashable, Sendable {
    package let shape: FieldShape
    package var indexes: FieldIndexes

    package init(_ shape: FieldShape, indexes: FieldIndexes = []) {
        self.shape = shape
        self.indexes = indexes
    }

    package init(_ kind: FieldKind, isEncrypted: Bool = false, indexes: FieldIndexes = []) {
        self.init(FieldShape(kind, isEncrypted: isEncrypted), indexes: indexes)
    }

    package var kind: FieldKind { shape.kind }
    package var isEncrypted: Bool { shape.isEncrypted }
}
