package import BullaMemory

/// A model and its indexes, as the trees of a store have them.
package final class ObjectTable: Sendable {
    package let model: ModelSchema
    package let layout: ObjectLayout
    package let indexes: [IndexTable]
    /// How many bytes an object's key may have.
    package let keyByteLimit: Int
    /// How many bytes an index entry's key may have.
    package let entryByteLimit: Int

    package init(_ model: ModelSchema, in schema: DatabaseSchema) {
        self.model = model
        entryByteLimit = schema.keyByteLimit
        layout = ObjectLayout(model)
        indexes = model.indexes.map {
            IndexTable($0, of: model, in: schema)
        }
        keyByteLimit = schema.keyByteLimit / 4
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
    package func text(ofKey key: ByteView) -> String { "\(model.name) \(layout.text(ofKey: key))" }
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

    /// The entries of an object in an index, as keys of its tree.
    ///
    /// - Throws: `invalidKey` where one of them is longer than a key may be: a link's key is.
    package func entries(
        of object: ObjectBytes, in index: IndexTable
    ) throws(ObjectError) -> Set<[UInt8]> {
        var entries: Set<[UInt8]> = []
        try index.forEachPrefix(of: object, layout) { prefix throws(ObjectError) in
            let entry = prefix.copied() + object.key.copied()
            guard entry.count <= entryByteLimit else {
                throw ObjectError(
                    .invalidKey,
                    "write \(self.text(ofKey: object.key)): its entry in the index of "
                        + "\(self.text(of: index)) has \(entry.count) bytes, and at most "
                        + "\(entryByteLimit) are possible")
            }
            entries.insert(entry)
        }
        return entries
    }

    /// As `Employee.name, age`, for messages.
    package func text(of index: IndexTable) -> String {
        let names = index.parts.map { model.property($0.property)?.name ?? "?" }
        return "\(model.name).\(names.joined(separator: ", "))"
    }
}
