package import BullaMemory

/// A schema as text, in the schema language of CloudKit: what a `.ckdb` file holds.
///
///     DEFINE SCHEMA
///
///         CREATE ROLE editor;
///
///         RECORD TYPE Note (
///             "___recordID" REFERENCE QUERYABLE,
///             secret        ENCRYPTED BYTES,
///             tags          LIST<STRING> QUERYABLE,
///             GRANT READ, WRITE TO editor,
///             GRANT READ TO "_world"
///         );
///
/// One schema has one text, so that the text is what is stored of it: everything is sorted by its
/// name, and every type lists the fields of the system. The version is not in it.
///
/// - Source: CloudKit, "Integrating a Text-Based Schema into Your Workflow".
package enum SchemaText {
    /// Longer ones are not read, and no schema that holds has a longer one.
    package static let byteLimit = 1 << 20

    /// The schema that a text says.
    ///
    /// It is what the text says, whether or not that holds: see ``RecordSchema/faults()``.
    ///
    /// - Parameters:
    ///   - view: any bytes.
    ///   - version: what the schema's version is to be.
    /// - Throws: ``SchemaTextFault`` with the place where the text stops being one.
    /// - Complexity: one pass over the bytes; memory in proportion to them.
    package static func read(
        _ view: ByteView, version: UInt64 = 0
    ) throws(SchemaTextFault) -> RecordSchema {
        guard view.byteCount <= byteLimit else {
            throw SchemaTextFault(
                line: 1, column: 1, expected: "at most \(byteLimit) bytes",
                found: "\(view.byteCount)")
        }
        var reader = try SchemaTextReader(view)
        var schema = try reader.read()
        schema.version = version
        return schema
    }

    package static func read(
        _ bytes: [UInt8], version: UInt64 = 0
    ) throws(SchemaTextFault) -> RecordSchema {
        try bytes.withView { (view) throws(SchemaTextFault) in try read(view, version: version) }
    }

    package static func bytes(_ schema: RecordSchema) -> [UInt8] { Array(text(schema).utf8) }

    /// The one text of the schema, whose names have to be names.
    package static func text(_ schema: RecordSchema) -> String {
        var text = "DEFINE SCHEMA\n"
        if !schema.roles.isEmpty { text += "\n" }
        for role in schema.roles.sorted() { text += "    CREATE ROLE \(quoted(role));\n" }
        for (name, type) in schema.types.sorted(by: { $0.key < $1.key }) {
            text += "\n    RECORD TYPE \(quoted(name)) (\n"
            let lines = fieldLines(type) + grantLines(type)
            text += lines.map { "        " + $0 }.joined(separator: ",\n")
            text += "\n    );\n"
        }
        return text
    }

    private static func fieldLines(_ type: RecordType) -> [String] {
        let fields = type.fields.sorted { $0.key < $1.key }.map { (quoted($0.key), $0.value) }
        let width = fields.reduce(0) { max($0, $1.0.utf8.count) }
        return fields.map { name, field in
            let blanks = String(repeating: " ", count: width - name.utf8.count)
            let indexes = field.indexes.isEmpty ? "" : " \(field.indexes)"
            return "\(name)\(blanks) \(field.shape)\(indexes)"
        }
    }

    private static func grantLines(_ type: RecordType) -> [String] {
        type.grants.sorted { $0.key < $1.key }.map { "GRANT \($0.value) TO \(quoted($0.key))" }
    }

    /// A name as it stands in a text: in quotes where it could be taken for something else.
    private static func quoted(_ name: String) -> String {
        precondition(SchemaTextLexer.canQuote(name), "a name that is printed can be read")
        let isReserved = SchemaWord(name)?.isReserved ?? false
        return NameRules.isTypeName(name) && !isReserved ? name : "\"\(name)\""
    }
}
