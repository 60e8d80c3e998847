internal import BullaRecords

/// Reads an input as a schema, which must be the same when its own text is read back.
enum SchemaFuzz {
    static func run(_ input: FuzzInput) {
        guard let schema = try? SchemaText.read(input.rest) else { return }
        let text = SchemaText.bytes(schema)
        guard let again = try? SchemaText.read(text) else {
            preconditionFailure("the text of a schema is one")
        }
        precondition(again == schema, "what is written is read as it was")
        precondition(SchemaText.bytes(again) == text, "a schema has one text")
        // The check must not trap, whatever the schema says.
        _ = schema.faults()
    }

    static var seeds: [[UInt8]] {
        let texts = [
            """
            DEFINE SCHEMA ( CREATE ROLE r; RECORD TYPE T ( f ENCRYPTED STRING,
            g LIST<INT64> QUERYABLE SORTABLE, "___recordID" REFERENCE QUERYABLE,
            GRANT READ, WRITE TO r, GRANT CREATE TO "_world" ); );
            """,
            """
            DEFINE SCHEMA // one
            -- two
            RECORD TYPE "GRANT" ( /* three */ n NUMBER PREFERRED AS DOUBLE SEARCHABLE,
            e ENCRYPTED LIST<BYTES>, h LIST<ENCRYPTED TIMESTAMP>, l LOCATION, a ASSET );
            """,
            "define schema record type t ();",
        ]
        return texts.map { Array($0.utf8) }
    }
}
