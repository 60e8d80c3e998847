internal import BullaMemory
internal import BullaObjects

/// Reads an input as the content of the trees of objects (values, keys, rows, the schema), and as
/// requests to a schema (lines of objects, and queries).
enum ObjectFuzz {
    static func run(_ input: FuzzInput) {
        var input = input
        switch input.byte() % 6 {
        case 0: readValue(&input)
        case 1: readKey(&input)
        case 2: readRow(&input)
        case 4: readLine(input.rest)
        case 5: readQuery(String(decoding: input.rest, as: UTF8.self))
        default: readSchema(input.rest)
        }
    }

    private static func type(_ input: inout FuzzInput) -> ScalarType {
        ScalarType.allCases[Int(input.byte()) % ScalarType.allCases.count]
    }

    private static func readValue(_ input: inout FuzzInput) {
        let type = type(&input)
        let bytes = input.rest
        guard let value = bytes.withView({ Scalar($0, type) }) else { return }
        precondition(value.bytes == bytes, "a value has one form")
        precondition(value.type == type, "what is read as a type is of it")
    }

    private static func readKey(_ input: inout FuzzInput) {
        let types = (0...input.byte() % 3).map { _ in type(&input) }
        let bytes = input.rest
        bytes.withView { view in
            var reader = OrderedReader(view)
            var key = OrderedKey()
            for type in types {
                guard reader.take(type, { key.append($0, type) }) != nil else { return }
            }
            precondition(
                key.bytes == bytes[..<reader.offset].map { $0 }, "a key has one form")
        }
    }

    private static func readRow(_ input: inout FuzzInput) {
        input.rest.withView { view in
            guard let row = Row(view) else { return }
            for number in 0...row.count {
                guard case .value(let value) = row[number] else { continue }
                var elements = ElementReader(value)
                while let element = elements.next() {
                    precondition(element.byteCount <= value.byteCount, "an element lies inside")
                }
            }
        }
    }

    private static func readSchema(_ bytes: [UInt8]) {
        guard let schema = try? SchemaTree.schema(of: bytes) else { return }
        // Tables can be made for every schema that decodes.
        let tables = ObjectTables(schema)
        for model in schema.models {
            precondition(tables[model.number] != nil, "a model has a table")
        }
    }

    /// The schema that lines and queries refer to.
    private static let asked = try? SchemaTree.schema(of: Array(schema.utf8))

    private static func readLine(_ line: [UInt8]) {
        guard let asked, let fields = try? ObjectLines(asked).fields(of: line, in: "A") else {
            return
        }
        let written = try? ObjectLines(asked).line(of: fields, in: "A")
        let again = written.flatMap { try? ObjectLines(asked).fields(of: $0, in: "A") }
        precondition(again == fields, "what is written reads back")
    }

    private static func readQuery(_ text: String) {
        guard let bindings = asked.map({ _ObjectBindings($0) }) else { return }
        for query in [
            TextQuery("A", where: text), TextQuery("A", sortedBy: text),
            TextQuery("A", selecting: text),
        ] {
            _ = try? BoundQuery(query, bindings)
        }
    }

    static var seeds: [[UInt8]] {
        var draft = RowDraft()
        draft.begin(count: 9)
        for number in [0, 3, 8] { draft.set(number) { $0 += [21, 1, 7, 21, 1, 8] } }
        var list = ElementList()
        list.append(.string("a"))
        let values: [Scalar] = [
            .integer(-300), .double(1.5), .string("e\u{301}"), .boolean(true),
        ]
        return values.map { [0, $0.type.rawValue - 1] + $0.bytes } + [
            // The decimal 12.
            [0, ScalarType.decimal.rawValue - 1, 3, 1, 2, 13, 0],
            [1, 1, 1, 4] + OrderedKey([.integer(7), .string("a\0b")]).bytes,
            [2] + (draft.bytes() ?? []), [2] + list.bytes,
            [3] + Array(schema.utf8), [4] + Array("{\"a\":-7,\"b\":null}".utf8),
            [5] + Array("not (a in (1, -2) or any A.b (b.a > 3)) and count(A.b) = 1".utf8),
            [5] + Array("-a, b.a".utf8),
        ]
    }

    private static let schema = """
        {"embedded":[],"generation":1,"keyByteLimit":1024,"models":[{"indexes":[{"isUnique":false,\
        "number":2,"properties":[1]}],"key":[0],"name":"A","number":1,"properties":[{\
        "isRetired":false,"kind":{"scalar":{"_0":2}},"multiplicity":"one","name":"a","number":0},{\
        "isRetired":false,"kind":{"link":{"_0":1}},"multiplicity":"optional","name":"b",\
        "number":1}]}],"nextNumber":3,"version":1}
        """
}
