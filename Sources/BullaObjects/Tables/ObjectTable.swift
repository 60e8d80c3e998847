package import BullaMemory

/// A model and its indexes, as the trees of a store have them.
package final class ObjectTable: Sendable {
    package let model: ModelSchema
    package let layout: ObjectLayout
    package let indexes: [IndexTable]
    /// How many bytes an object's key may have.
    package let keyByteLimit: Int

    /// - Parameter keyByteLimit: how many bytes a key of the store's trees may have.
    package init(_ model: ModelSchema, in schema: DatabaseSchema, keyByteLimit: Int) {
        self.model = model
        layout = ObjectLayout(model)
        indexes = model.indexes.map {
            IndexTable($0, of: model, in: schema, keyByteLimit: keyByteLimit)
        }
        self.keyByteLimit = keyByteLimit / 4
    }

    /// The name of the tree that has a number: names of models and properties stand in the schema
    /// alone.
    package static func treeName(_ number: Int) -> [UInt8] { Array("object \(number)".utf8) }

    /// An object's bytes; `damaged` where its row is none.
    package func object(_ key: ByteView, _ row: ByteView) throws(ObjectError) -> ObjectBytes {
        guard let row = Row(row) else { throw layout.damaged("row") }
        return ObjectBytes(key: key, row: row)
    }

    /// As `Employee 7`, for messages.
    package func text(ofKey key: ByteView) -> String {
        var reader = OrderedReader(key)
        let parts = layout.key.map { type in
            reader.take(type) { Scalar($0, type).map { "\($0.text)" } ?? "?" } ?? "?"
        }
        return "\(model.name) \(parts.joined(separator: ", "))"
    }
}

extension ObjectTable {
    /// - Throws: `invalidKey` where a key is longer than one may be.
    package func checkKey(_ key: ByteView) throws(ObjectError) {
        guard key.byteCount <= keyByteLimit else {
            throw ObjectError(
                .invalidKey,
                "write \(model.name): its key has \(key.byteCount) bytes, and at most "
                    + "\(keyByteLimit) are possible")
        }
    }

    /// As `Employee.name, age`, for messages.
    package func text(of index: IndexTable) -> String {
        let names = index.parts.map { model.property($0.property)?.name ?? "?" }
        return "\(model.name).\(names.joined(separator: ", "))"
    }
}
