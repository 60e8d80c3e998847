package import Bulla
internal import BullaMemory
internal import FoundationEssentials

/// The schema as it is stored: JSON, under one key of its own tree.
package enum SchemaTree {
    package static let name = Array("objects".utf8)
    private static let key = Array("schema".utf8)
    /// The generation has its own key, so that a transaction can check it without reading the rest.
    private static let generationKey = Array("generation".utf8)

    /// The schema; an empty one if there is none yet.
    ///
    /// - Throws: `damaged`, `store`.
    package static func read<Reader: TreeReader & ~Copyable>(
        _ reader: borrowing Reader
    ) throws(ObjectError) -> DatabaseSchema {
        let bytes = try ObjectError.ofStore { () throws(BullaError) -> [UInt8]? in
            guard let tree = try reader.treeIfPresent(named: name) else { return nil }
            return try reader.value(forKey: key, in: tree)
        }
        guard let bytes else { return DatabaseSchema() }
        return try schema(of: bytes)
    }

    /// The schema that these stored bytes describe.
    ///
    /// - Throws: `damaged`.
    package static func schema(of bytes: [UInt8]) throws(ObjectError) -> DatabaseSchema {
        guard let schema = try? JSONDecoder().decode(DatabaseSchema.self, from: Data(bytes)) else {
            throw ObjectError(.damaged, "read the schema: the stored bytes are not a schema")
        }
        try schema.check()
        return schema
    }

    /// The generation of the schema; 0 if there is no schema.
    package static func generation<Reader: TreeReader & ~Copyable>(
        _ reader: borrowing Reader
    ) throws(ObjectError) -> Int {
        let bytes = try ObjectError.ofStore { () throws(BullaError) -> [UInt8]? in
            guard let tree = try reader.treeIfPresent(named: name) else { return nil }
            return try reader.value(forKey: generationKey, in: tree)
        }
        guard let bytes else { return 0 }
        guard case .integer(let generation) = bytes.withView({ Scalar($0, .integer) }) else {
            throw ObjectError(.damaged, "read the schema's generation: it is not a number")
        }
        return generation
    }

    package static func write(
        _ schema: DatabaseSchema, _ transaction: inout WriteTransaction
    ) throws(ObjectError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(schema) else {
            throw ObjectError(.damaged, "write the schema: it cannot be encoded")
        }
        try ObjectError.ofStore { () throws(BullaError) in
            let tree = try transaction.openOrCreateTree(named: name)
            try transaction.put(Array(json), forKey: key, in: tree)
            try transaction.put(
                Scalar.integer(schema.generation).bytes, forKey: generationKey, in: tree)
        }
    }
}
