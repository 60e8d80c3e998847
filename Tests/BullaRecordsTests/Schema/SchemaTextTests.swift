import BullaRecords
import Testing

@Suite("A schema text")
struct SchemaTextTests {
    /// Everything that the language offers, in disorder.
    static let sample = """
        // Notes -- of /* everybody
        define SCHEMA
            CREATE ROLE Editor; -- who may change them
            Create Role "grant";

            RECORD TYPE Note ( /* several
                lines; * / ** **/
                "___recordID" REFERENCE QUERYABLE,
                ___modTime TIMESTAMP SORTABLE QUERYABLE,
                title string Searchable QUERYABLE SORTABLE,
                "queryable" INT64 QUERYABLE,
                type DOUBLE SORTABLE,
                count NUMBER PREFERRED AS INT64,
                share NUMBER PREFERRED AS DOUBLE,
                place LOCATION QUERYABLE,
                owner REFERENCE,
                file ASSET,
                files LIST<ASSET>,
                tags LIST < STRING > QUERYABLE SEARCHABLE,
                secret ENCRYPTED BYTES,
                secrets LIST<ENCRYPTED STRING>,
                others ENCRYPTED LIST<TIMESTAMP>,
                GRANT READ, CREATE, WRITE TO Editor,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world",
                GRANT CREATE TO "_world",
                GRANT READ TO "grant"
            );
            RECORD TYPE "cloudkit.share" ("cloudkit.title" STRING);
            RECORD TYPE Bare ();
        """

    static let canonical = """
        DEFINE SCHEMA

            CREATE ROLE Editor;
            CREATE ROLE "grant";

            RECORD TYPE Bare (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE
            );

            RECORD TYPE Note (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP QUERYABLE SORTABLE,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                count           INT64,
                file            ASSET,
                files           LIST<ASSET>,
                others          LIST<ENCRYPTED TIMESTAMP>,
                owner           REFERENCE,
                place           LOCATION QUERYABLE,
                "queryable"     INT64 QUERYABLE,
                secret          ENCRYPTED BYTES,
                secrets         LIST<ENCRYPTED STRING>,
                share           DOUBLE,
                tags            LIST<STRING> QUERYABLE SEARCHABLE,
                title           STRING QUERYABLE SEARCHABLE SORTABLE,
                type            DOUBLE SORTABLE,
                GRANT READ, CREATE, WRITE TO Editor,
                GRANT WRITE TO "_creator",
                GRANT READ, CREATE TO "_world",
                GRANT READ TO "grant"
            );

            RECORD TYPE "cloudkit.share" (
                "___createTime"  TIMESTAMP,
                "___createdBy"   REFERENCE,
                "___etag"        STRING,
                "___modTime"     TIMESTAMP,
                "___modifiedBy"  REFERENCE,
                "___recordID"    REFERENCE,
                "cloudkit.title" STRING
            );

        """

    @Test("with everything that the language has is read, holds, and is printed in one way")
    func everything() throws {
        let schema = try SchemaText.read(Array(Self.sample.utf8), version: 7)
        #expect(schema.version == 7)
        #expect(schema.faults() == [])
        #expect(SchemaText.text(schema) == Self.canonical)
        let again = try SchemaText.read(Array(Self.canonical.utf8), version: 7)
        #expect(again == schema)
    }

    @Test("says fields, indexes, roles and grants")
    func contents() throws {
        let schema = try read(Self.sample)
        #expect(schema.roles == ["Editor", "grant"])
        #expect(Set(schema.types.keys) == ["Note", "Bare", SystemType.share])
        let note = try #require(schema.types["Note"])
        #expect(note.fields.count == 13 + SystemField.allCases.count)
        #expect(
            note["title"]
                == SchemaField(FieldKind(.string), indexes: [.queryable, .sortable, .searchable]))
        #expect(note["secrets"] == SchemaField(FieldKind(.string, isList: true), isEncrypted: true))
        #expect(note["others"]?.isEncrypted == true)
        #expect(note["___modTime"]?.indexes == [.queryable, .sortable])
        #expect(note["___etag"] == SchemaField(FieldKind(.string)))
        #expect(note.grants["_world"] == [.read, .create])
        #expect(note.privileges(of: ["_world", "Editor"]) == [.read, .create, .write])
        #expect(note.privileges(of: ["_icloud"]) == [])
        #expect(schema.types["Bare"] == RecordType())
    }

    @Test("may stand in parentheses")
    func parentheses() throws {
        for end in ["", ";"] {
            let text = "DEFINE SCHEMA ( CREATE ROLE r; RECORD TYPE T (a STRING); )\(end)"
            #expect(
                try read(text) == read("DEFINE SCHEMA CREATE ROLE r; RECORD TYPE T (a STRING);"))
        }
        #expect(try read("DEFINE SCHEMA") == RecordSchema())
        #expect(try read("DEFINE SCHEMA()") == RecordSchema())
    }

    /// A text, the line and column of its fault, and the beginning of what was expected there.
    static let faulty: [(String, Int, Int, String)] = [
        ("", 1, 1, "DEFINE"),
        ("DEFINE", 1, 7, "SCHEMA"),
        ("\u{FEFF}DEFINE SCHEMA", 1, 1, "DEFINE"),
        ("DEFINE SCHEMA CREATE TYPE", 1, 22, "ROLE"),
        ("DEFINE SCHEMA CREATE ROLE r", 1, 28, "';'"),
        ("DEFINE SCHEMA CREATE ROLE r; CREATE ROLE r;", 1, 42, "a new role's name"),
        ("DEFINE SCHEMA\nRECORD TYPE T (a STRING)\n", 3, 1, "';'"),
        ("DEFINE SCHEMA RECORD TYPE T (a STRING);\n\tRECORD TYPE T ();", 2, 14, "a new type's"),
        ("DEFINE SCHEMA RECORD TYPE T (a STRING,);", 1, 39, "a new field's name or GRANT"),
        ("DEFINE SCHEMA RECORD TYPE T (a STRING, a STRING);", 1, 40, "a new field's"),
        ("DEFINE SCHEMA RECORD TYPE T (a STRING b STRING);", 1, 39, "QUERYABLE"),
        (
            "DEFINE SCHEMA RECORD TYPE T (sortable STRING);", 1, 30,
            "a new field's name or GRANT, in"
        ),
        ("DEFINE SCHEMA RECORD TYPE T (a TEXT);", 1, 32, "a type"),
        ("DEFINE SCHEMA RECORD TYPE T (a LIST<LIST<STRING>>);", 1, 37, "a type"),
        ("DEFINE SCHEMA RECORD TYPE T (a LIST<STRING);", 1, 43, "'>'"),
        ("DEFINE SCHEMA RECORD TYPE T (a LIST STRING);", 1, 37, "'<'"),
        ("DEFINE SCHEMA RECORD TYPE T (a NUMBER);", 1, 38, "PREFERRED"),
        ("DEFINE SCHEMA RECORD TYPE T (a NUMBER PREFERRED AS STRING);", 1, 52, "INT64 or DOUBLE"),
        ("DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED NUMBER);", 1, 42, "a type"),
        ("DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED LIST<ENCRYPTED INT64>);", 1, 47, "a type"),
        ("DEFINE SCHEMA RECORD TYPE T (GRANT TO r);", 1, 36, "READ"),
        ("DEFINE SCHEMA RECORD TYPE T (GRANT READ, TO r);", 1, 42, "READ"),
        ("DEFINE SCHEMA RECORD TYPE T (GRANT READ r);", 1, 41, "TO"),
        ("DEFINE SCHEMA RECORD TYPE T (GRANT READ TO ,);", 1, 44, "a role's name"),
        ("DEFINE SCHEMA RECORD TYPE 9 ();", 1, 27, "a new type's name"),
        ("DEFINE SCHEMA RECORD TYPE \"a b\" ();", 1, 27, "a name in quotes"),
        ("DEFINE SCHEMA RECORD TYPE \"\" ();", 1, 27, "a name in quotes"),
        ("DEFINE SCHEMA RECORD TYPE \"\u{e4}\" ();", 1, 27, "a name in quotes"),
        ("DEFINE SCHEMA RECORD TYPE \"a", 1, 27, "a name in quotes"),
        ("DEFINE SCHEMA\n  /* no\nend", 2, 3, "a comment"),
        ("DEFINE SCHEMA / ", 1, 15, "CREATE ROLE, RECORD TYPE or the end"),
        ("DEFINE SCHEMA ( RECORD TYPE T ();", 1, 34, "CREATE ROLE, RECORD TYPE or ')'"),
        ("DEFINE SCHEMA ( ) CREATE ROLE r;", 1, 19, "the end"),
    ]

    @Test("that is none is refused with the place and what was expected there", arguments: faulty)
    func refused(text: String, line: Int, column: Int, expected: String) throws {
        let fault = #expect(throws: SchemaTextFault.self) { try read(text) }
        #expect(fault?.line == line)
        #expect(fault?.column == column)
        #expect(fault?.expected.hasPrefix(expected) == true, "\(fault?.expected ?? "")")
        #expect(fault?.recordError.code == .invalidArguments)
        #expect(fault?.recordError.reason == fault?.description)
    }

    @Test("that is not UTF-8 is refused, but in a comment")
    func strangeBytes() throws {
        let comment = Array("-- ".utf8) + [0xFF, 0x00, 0x0A] + Array("DEFINE SCHEMA".utf8)
        #expect(try SchemaText.read(comment) == RecordSchema())
        for byte in [UInt8(0), 0x80, 0xFF] {
            #expect(throws: SchemaTextFault.self) {
                try SchemaText.read(Array("DEFINE SCHEMA ".utf8) + [byte])
            }
        }
    }

    @Test("has names of at most 255 bytes, and 1 MiB")
    func limits() throws {
        let name = String(repeating: "n", count: 255)
        #expect(try read("DEFINE SCHEMA CREATE ROLE \(name);").roles == [name])
        #expect(try read("DEFINE SCHEMA CREATE ROLE \"\(name)\";").roles == [name])
        #expect(throws: SchemaTextFault.self) { try read("DEFINE SCHEMA CREATE ROLE \(name)n;") }
        #expect(throws: SchemaTextFault.self) {
            try read("DEFINE SCHEMA CREATE ROLE \"\(name)n\";")
        }
        let blanks = String(repeating: " ", count: SchemaText.byteLimit - 13)
        #expect(try read(blanks + "DEFINE SCHEMA") == RecordSchema())
        #expect(throws: SchemaTextFault.self) { try read(blanks + " DEFINE SCHEMA") }
    }

    private func read(_ text: String) throws -> RecordSchema {
        try SchemaText.read(Array(text.utf8))
    }
}
