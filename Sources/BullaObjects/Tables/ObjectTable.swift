package import BullaMemory

/// A model and its indexes, as trees of a store.
package final class ObjectTable: Sendable {
    package let model: ModelSchema
    /// The number of the model and of its tree.
    package let number: Int
    package let layout: ObjectLayout
    package let indexes: [IndexTable]
    /// How many bytes an object's key can have.
    package let keyByteLimit: Int
    /// How many bytes an index entry's key can have.
    package let entryByteLimit: Int

    package init(_ model: ModelSchema, in schema: DatabaseSchema) {
        (self.model, number) = (model, model.number)
        entryByteLimit = schema.keyByteLimit
        layout = ObjectLayout(model)
        indexes = model.indexes.map {
            IndexTable($0, of: model, in: schema)
        }
        keyByteLimit = schema.keyByteLimit / 4
    }

    /// The name of the tree with a number; names of models and properties are only in the schema.
    package static func treeName(_ number: Int) -> [UInt8] { Array("object \(number)".utf8) }

    /// An object made of its bytes; throws `damaged` if they are not a row.
    package func object(_ key: ByteView, _ row: ByteView) throws(ObjectError) -> ObjectBytes {
        guard let row = Row(row) else { throw layout.damaged("row") }
        return ObjectBytes(key: key, row: row)
    }

    /// The bytes of the key with these parts.
    ///
    /// - Throws: `invalidKey` if the parts do not have the types of the model's key, or one is NaN.
    package func key(of parts: [Scalar]) throws(ObjectError) -> [UInt8] {
        try OrderedKey(parts, layout.key, of: model.name).bytes
    }

    /// The bytes of the key with this one part.
    package func key(of part: Scalar) throws(ObjectError) -> [UInt8] {
        guard layout.key.count == 1, layout.key[0] == part.type, !part.isNaN else {
            return try key(of: [part])
        }
        var key = OrderedKey()
        key.append(part)
        return key.bytes
    }

    /// The object's name for messages, as in `Employee 7`.
    package func text(ofKey key: ByteView) -> String { "\(model.name) \(layout.text(ofKey: key))" }
}

extension ObjectTable {
    /// - Throws: `invalidKey` if a key is longer than allowed.
    package func checkKey(_ key: ByteView) throws(ObjectError) {
        guard key.byteCount <= keyByteLimit else {
            throw ObjectError(
                .invalidKey,
                "write \(model.name): its key has \(key.byteCount) bytes, and at most "
                    + "\(keyByteLimit) are possible")
        }
    }

    /// The entries of an object in an index, without duplicates, as keys of the index's tree.
    ///
    /// - Throws: `invalidKey` if a link's key makes an entry longer than a key can be.
    package func entries(
        of object: ObjectBytes, in index: IndexTable
    ) throws(ObjectError) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        try index.forEachPrefix(of: object, layout) { prefix throws(ObjectError) in
            var entry = prefix
            entry.append(object.key)
            guard entry.bytes.count <= entryByteLimit else {
                throw ObjectError(
                    .invalidKey,
                    "write \(self.text(ofKey: object.key)): its entry in the index of "
                        + "\(self.text(of: index)) has \(entry.bytes.count) bytes, and at most "
                        + "\(entryByteLimit) are possible")
            }
            entries.append(entry.bytes)
        }
        return index.repeatsObjects ? Array(Set(entries)) : entries
    }

    /// The index's name for messages, as in `Employee.name, age`.
    package func text(of index: IndexTable) -> String {
        let names = index.parts.map { model.property($0.property)?.name ?? "?" }
        return "\(model.name).\(names.joined(separator: ", "))"
    }
}
