import Bulla
import BullaObjects
import BullaTestSupport
import FoundationEssentials

/// Stores with generated schemas.
enum SchemaStore {
    /// A store with a schema and empty trees for it.
    static func make(
        _ schema: DatabaseSchema, at path: String, _ kind: StoreKind
    ) throws -> SchemaDatabase {
        var options = StoreOptions()
        options.suite = kind.suite
        let store = try Store.open(at: path, key: kind.key(), options: options)
        var schema = schema
        schema.keyByteLimit = try store.info.keyByteLimit
        let numbers = schema.models.map(\.number) + schema.models.flatMap(\.indexes).map(\.number)
        try store.write { transaction in
            try SchemaTree.write(schema, &transaction)
            for number in numbers {
                _ = try transaction.createTree(named: ObjectTable.treeName(number))
            }
        }
        return try SchemaDatabase(store)
    }

    /// Puts random objects into a store, and into the model of its expected content.
    static func fill(
        _ database: SchemaDatabase, _ count: Int, _ random: inout TestRandom
    ) throws -> Oracle {
        var oracle = Oracle(database.schema)
        try database.write { transaction in
            for _ in 0..<count {
                let model = random.pick(oracle.schema.models)
                let key = oracle.key(of: model, &random)
                let place = Oracle.Place(model: model.number, key: key)
                let fields = oracle.fields(of: model, key: key, &random)
                guard oracle.objects[place] == nil, !oracle.isTaken(fields, place, model) else {
                    continue
                }
                try transaction.insert(fields, into: model.name)
                oracle.put(fields, place)
            }
        }
        return oracle
    }

    /// All lines of a store, each with its model's name.
    static func lines(of database: SchemaDatabase) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try database.read { snapshot in
            for model in snapshot.schema.models {
                try snapshot.forEachLine(TextQuery(model.name), namesModel: true) { line in
                    lines.append(line)
                    return .next
                }
            }
        }
        return lines
    }
}

extension ObjectImport {
    /// Imports the given lines.
    mutating func run(_ lines: [[UInt8]]) throws {
        var rest = lines[...]
        try run { rest.popFirst() }
    }
}

/// The error thrown by `body`, which must throw.
func thrownError(_ body: () throws -> Void) -> ObjectError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ObjectError
    }
}
