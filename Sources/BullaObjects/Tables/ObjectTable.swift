package import BullaMemory

/// A model and its indexes, as the trees of a store have them.
package final class ObjectTable: Sendable {
    package let model: ModelSchema
    /// That of the model, and of its tree.
    package let number: Int
    package let layout: ObjectLayout
    package let indexes: [IndexTable]
    /// How many bytes an object's key may have.
    package let keyByteLimit: Int
    /// How many bytes an index entry's key may have.
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

    /// The name of the tree that has a number: names of models and properties stand in the schema
    /// alone.
    package static func treeName(_ number: Int) -> [UInt8] { Array("object \(number)".utf8) }

    /// An object's bytes; `damaged` where its row is none.
    package func object(_ key: ByteView, _ row: ByteView) throws(ObjectError) -> ObjectBytes {
        guard let row = Row(row) else { throw layout.damaged("row") }
        return ObjectBytes(key: key, row: row)
    }

    /// The bytes of a key of these parts.
    ///
    /// - Throws: `invalidKey` where they are of other types, or one is no number.
    package func key(of parts: [Scalar]) throws(ObjectError) -> [UInt8] {
        try OrderedKey(parts, layout.key, of: model.name).bytes
    }

    /// The same of a key that has one part.
    package func key(of part: Scalar) throws(ObjectError) -> [UInt8] {
        guard layout.key.count == 1, layout.key[0] == part.type, !part.isNaN else {
            return try key(of: [part])
        }
        var key = OrderedKey()
        key.append(part)
        return key.bytes
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

    /// The entries of an object in an index, each once, as keys of its tree.
    ///
    /// - Throws: `invalidKey` where one of them is longer than a key may be: a link's key is.
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

    /// As `Employee.name, age`, for messages.
    package func text(of index: IndexTable) -> String {
        let names = index.parts.map { model.property($0.property)?.name ?? "?" }
        return "\(model.name).\(names.joined(separator: ", "))"
    }
}
