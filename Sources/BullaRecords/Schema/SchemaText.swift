package import BullaMemory

/// A schema as text in CloudKit's schema language, as in a `.ckdb` file.
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
/// Every schema has exactly one text, because everything is sorted by name, and every type lists
/// the system's fields. So the text can be stored instead of the schema, together with the version,
/// which the text does not contain.
///
/// - Source: CloudKit, "Integrating a Text-Based Schema into Your Workflow".
package enum SchemaText {
    /// The size of the longest text that is read; the text of every valid schema fits.
    package static let byteLimit = 1 << 20

    /// Reads a schema from a text.
    ///
    /// The schema may be invalid: see ``RecordSchema/faults()``.
    ///
    /// - Parameters:
    ///   - view: any bytes.
    ///   - version: the version for the schema.
    /// - Throws: ``SchemaTextFault``, which gives the position of a syntax error, or says that the
    ///   text is too long.
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

    /// The text of a schema, whose names must be valid.
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

    /// A name as a text spells it: quoted if it could be taken for something else.
    private static func quoted(_ name: String) -> String {
        precondition(SchemaTextLexer.canQuote(name), "a name that is printed can be read")
        let isReserved = SchemaWord(name)?.isReserved ?? false
        return NameRules.isTypeName(name) && !isReserved ? name : "\"\(name)\""
    }
}
