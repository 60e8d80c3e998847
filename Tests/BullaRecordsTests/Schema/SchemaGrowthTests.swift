import BullaRecords
import BullaTestSupport
import Testing

@Suite("A schema that records are saved under")
struct SchemaGrowthTests {
    private let string = FieldShape(FieldKind(.string))
    private let sealed = FieldShape(FieldKind(.string), isEncrypted: true)

    private func notes() throws -> RecordSchema {
        let text =
            "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE, secret ENCRYPTED BYTES);"
        return try SchemaText.read(Array(text.utf8), version: 4)
    }

    @Test("knows a field, does not know it, has it otherwise, or keeps its name for itself")
    func verdicts() throws {
        let schema = try notes()
        let (text, data) = (FieldKind(.string), FieldKind(.bytes))
        let title = SchemaField(text, indexes: .queryable)
        let secret = SchemaField(data, isEncrypted: true)
        #expect(schema.check("Note", "title", text, isEncrypted: false) == .known(title))
        #expect(schema.check("Note", "secret", data, isEncrypted: true) == .known(secret))
        #expect(schema.check("Note", "title", text, isEncrypted: true) == .mismatch(title))
        #expect(schema.check("Note", "secret", data, isEncrypted: false) == .mismatch(secret))
        #expect(schema.check("Note", "title", data, isEncrypted: false) == .mismatch(title))
        let list = FieldKind(.string, isList: true)
        #expect(schema.check("Note", "title", list, isEncrypted: false) == .mismatch(title))
        #expect(schema.check("Note", "other", text, isEncrypted: false) == .new)
        #expect(schema.check("Other", "title", text, isEncrypted: false) == .new)
        #expect(schema.check("Note", "___etag", text, isEncrypted: false) == .reserved)
        #expect(schema.check("Other", "_x", text, isEncrypted: false) == .reserved)
    }

    @Test("stays as it is where a record brings nothing new")
    func nothingNew() throws {
        let schema = try notes()
        #expect(try schema.extended(by: "Note", fields: [:]) == nil)
        #expect(try schema.extended(by: "Note", fields: ["title": string]) == nil)
        for environment in Environment.allCases {
            #expect(try schema.accepting("Note", ["title": string], in: environment) == nil)
        }
    }

    @Test("grows by a field with the indexes that it may have, or none")
    func newField() throws {
        let schema = try notes()
        let fields = [
            "title": string, "body": string, "pin": sealed, "at": FieldShape(FieldKind(.location)),
            "parent": FieldShape(FieldKind(.reference)), "file": FieldShape(FieldKind(.asset)),
            "tags": FieldShape(FieldKind(.string, isList: true)),
        ]
        let grown = try #require(try schema.extended(by: "Note", fields: fields))
        #expect(grown.version == 5)
        #expect(grown.faults() == [])
        let note = try #require(grown.types["Note"])
        #expect(note["title"] == schema.types["Note"]?["title"])
        #expect(note["body"]?.indexes == [.queryable, .sortable, .searchable])
        #expect(note["pin"] == SchemaField(sealed))
        #expect(note["at"]?.indexes == .queryable)
        #expect(note["parent"]?.indexes == .queryable)
        #expect(note["file"]?.indexes == [])
        #expect(note["tags"]?.indexes == [.queryable, .searchable])
        #expect(try grown.extended(by: "Note", fields: fields) == nil)
        let bare = try schema.extended(by: "Note", fields: ["body": string], isIndexed: false)
        #expect(bare?.types["Note"]?["body"]?.indexes == [])
    }

    @Test("grows by a type, with the grants of one, even when the record has no field")
    func newType() throws {
        let grown = try #require(try RecordSchema().accepting("List", [:], in: .development))
        #expect(grown.version == 1)
        #expect(grown.faults() == [])
        #expect(grown.types["List"]?.fields == SystemField.fields)
        #expect(
            grown.types["List"]?.grants == [
                "_creator": .write, "_icloud": .create, "_world": .read,
            ])
        #expect(try grown.extended(by: "List", fields: [:]) == nil)
        let share = ["cloudkit.title": string]
        #expect(try grown.extended(by: SystemType.share, fields: share)?.faults() == [])
    }

    @Test("never turns a field into another, in either environment")
    func mismatch() throws {
        let schema = try notes()
        let wrong: [(String, FieldShape, String)] = [
            ("secret", FieldShape(FieldKind(.bytes)), "value type BYTES for field 'secret'"),
            ("secret", sealed, "value type ENCRYPTED_STRING for field 'secret'"),
            ("title", sealed, "value type ENCRYPTED_STRING for field 'title'"),
            ("title", FieldShape(FieldKind(.asset)), "value type ASSETID for field 'title'"),
            ("title", FieldShape(FieldKind(.int64, isList: true)), "value type INT64_LIST for"),
        ]
        for (name, shape, reason) in wrong {
            for environment in Environment.allCases {
                let error = refusal { () throws(RecordError) in
                    try schema.accepting("Note", [name: shape, "body": string], in: environment)
                }
                #expect(error?.code == .invalidArguments)
                #expect(error?.reason.hasPrefix("invalid attempt to set \(reason)") == true)
            }
        }
        let error = refusal { () throws(RecordError) in
            try schema.extended(by: "Note", fields: ["secret": FieldShape(FieldKind(.bytes))])
        }
        #expect(
            error?.reason == "invalid attempt to set value type BYTES for field 'secret' for type "
                + "'Note', defined to be: ENCRYPTED_BYTES")
    }

    @Test("refuses names that nothing may have, and encrypted references and assets")
    func impossible() throws {
        let schema = try notes()
        let long = String(repeating: "n", count: 256)
        for name in ["___etag", "_x", "", "9", "a b", "\u{e4}", "a\"b", "cloudkit.title", long] {
            for type in ["Note", "Other"] {
                #expect(
                    isRefused { () throws(RecordError) in
                        try schema.extended(by: type, fields: [name: string])
                    }, "\(name)")
            }
        }
        for type in ["", "_T", "9", "a b", "cloudkit.other", "a\"b", long] {
            #expect(
                isRefused { () throws(RecordError) in
                    try schema.extended(by: type, fields: [:])
                }, "\(type)")
        }
        for element in [ValueKind.reference, .asset] {
            for isList in [false, true] {
                let shape = FieldShape(FieldKind(element, isList: isList), isEncrypted: true)
                #expect(
                    isRefused { () throws(RecordError) in
                        try schema.extended(by: "Note", fields: ["x": shape])
                    })
            }
        }
    }

    @Test("repeats no long or strange name in a message")
    func longNames() throws {
        let name = String(repeating: "n\n", count: 100_000)
        let error = refusal { () throws(RecordError) in
            try RecordSchema().extended(by: name, fields: [name: string])
        }
        let reason = try #require(error?.reason)
        #expect(reason.utf8.count < 400)
        #expect(reason.utf8.allSatisfy { (32...126).contains($0) })
    }

    @Test("does not grow in production")
    func production() throws {
        let schema = try notes()
        let type = refusal { () throws(RecordError) in
            try schema.accepting("Other", [:], in: .production)
        }
        #expect(type?.code == .invalidArguments)
        #expect(type?.reason == "Cannot create new type Other in production schema")
        let field = refusal { () throws(RecordError) in
            try schema.accepting(
                "Note", ["title": string, "b": string, "a": string], in: .production)
        }
        #expect(field?.code == .invalidArguments)
        #expect(
            field?.reason
                == "Cannot create or modify field 'a' in record 'Note' in production schema")
    }

    @Test("does not grow beyond what is read again")
    func size() throws {
        var type = RecordType()
        let tail = String(repeating: "x", count: 240)
        for index in 0..<3_700 { type.set("f\(index)\(tail)", to: SchemaField(FieldKind(.bytes))) }
        let schema = RecordSchema(types: ["T": type])
        #expect(schema.faults() == [])
        let more = (0..<400).map { ("g\($0)\(tail)", string) }
        let error = refusal { () throws(RecordError) in
            try schema.extended(by: "T", fields: Dictionary(uniqueKeysWithValues: more))
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test("holds after whatever grew, and knows every field that it grew by")
    func randomGrowth() throws {
        var random = TestRandom(seed: 6)
        for _ in 0..<300 {
            let schema = random.schema()
            let fields = Dictionary(
                (0..<random.below(6)).map { ("f\($0)_new", random.shape()) }
            ) { one, _ in one }
            let type = random.pick(schema.types.keys.sorted() + ["Fresh_type"])
            guard let grown = try schema.extended(by: type, fields: fields) else {
                #expect(fields.isEmpty && schema.types[type] != nil)
                continue
            }
            #expect(grown.faults() == [])
            for (name, shape) in fields {
                let verdict = grown.check(type, name, shape.kind, isEncrypted: shape.isEncrypted)
                guard case .known = verdict else {
                    Issue.record("\(name) is \(verdict)")
                    continue
                }
            }
            let difference = SchemaDifference(from: schema, to: grown)
            #expect(difference.removed.isEmpty && difference.changed.isEmpty)
        }
    }
}
