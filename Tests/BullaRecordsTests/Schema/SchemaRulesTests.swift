import BullaRecords
import BullaTestSupport
import Testing

@Suite("A schema that is imported or promoted")
struct SchemaRulesTests {
    private static let base = """
        CREATE ROLE r;
        RECORD TYPE Note (title STRING QUERYABLE, secret ENCRYPTED BYTES, GRANT READ TO r);
        """

    private func schema(_ text: String, version: UInt64 = 0) throws -> RecordSchema {
        try SchemaText.read(Array("DEFINE SCHEMA \(text)".utf8), version: version)
    }

    private func note(_ fields: String, roles: String = "CREATE ROLE r;") throws -> RecordSchema {
        try schema("\(roles) RECORD TYPE Note (\(fields));")
    }

    private func imported(
        _ new: RecordSchema, production: RecordSchema? = nil, mayRemove: Bool = false
    ) throws(RecordError) -> RecordSchema? {
        let development: RecordSchema
        do { development = try schema(Self.base, version: 8) } catch {
            preconditionFailure("\(error)")
        }
        return try SchemaRules.imported(
            new, over: development, production: production, mayRemove: mayRemove)
    }

    @Test("says by import that nothing changes")
    func importSame() throws {
        #expect(try imported(schema(Self.base, version: 99)) == nil)
    }

    @Test("takes over by import what is new, and drops indexes, grants and roles")
    func importChanges() throws {
        let new = try note("title STRING SORTABLE, secret ENCRYPTED BYTES, more INT64", roles: "")
        let result = try #require(try imported(new))
        #expect(result.version == 9)
        #expect(result.hasSameContent(as: new))
    }

    @Test("loses types and fields by import only where the caller says so")
    func importRemoval() throws {
        let withoutField = try note("title STRING")
        let error = refusal { () throws(RecordError) in try imported(withoutField) }
        #expect(error?.code == .invalidArguments)
        #expect(
            error?.reason == "import the schema: field 'secret' of type 'Note': would be removed")
        #expect(try imported(withoutField, mayRemove: true)?.types["Note"]?["secret"] == nil)
        let empty = RecordSchema()
        #expect(isRefused { () throws(RecordError) in try imported(empty) })
        #expect(try imported(empty, mayRemove: true)?.types == [:])
    }

    @Test("loses nothing by import that is in production, whatever the caller says")
    func importUnderProduction() throws {
        let production = try note("title STRING")
        let kept = try note("title STRING, other INT64")
        let result = try imported(kept, production: production, mayRemove: true)
        #expect(result?.hasSameContent(as: kept) == true)
        let lost = try note("secret ENCRYPTED BYTES")
        let error = refusal { () throws(RecordError) in
            try imported(lost, production: production, mayRemove: true)
        }
        #expect(error?.reason.contains("'title' of type 'Note': is in production") == true)
        let changed = try note("title INT64")
        let other = try note("secret ENCRYPTED BYTES")
        #expect(
            isRefused { () throws(RecordError) in
                try SchemaRules.imported(
                    changed, over: other, production: production, mayRemove: true)
            })
    }

    @Test(
        "never changes a field by import, whatever the caller says",
        arguments: [
            "title INT64, secret ENCRYPTED BYTES", "title ENCRYPTED STRING, secret ENCRYPTED BYTES",
            "title LIST<STRING>, secret ENCRYPTED BYTES", "title STRING, secret BYTES",
        ])
    func importChange(fields: String) throws {
        let new = try note(fields)
        for mayRemove in [false, true] {
            let error = refusal { () throws(RecordError) in
                try imported(new, mayRemove: mayRemove)
            }
            #expect(error?.code == .invalidArguments)
            #expect(error?.reason.contains("cannot become") == true)
        }
    }

    @Test("is not imported where it does not hold, and all faults are told")
    func importFaults() throws {
        let new = try note("title STRING, secret ENCRYPTED BYTES SORTABLE, \"_x\" INT64")
        let error = refusal { () throws(RecordError) in try imported(new) }
        #expect(error?.reason.contains("field 'secret' of type 'Note': an encrypted field") == true)
        #expect(error?.reason.contains("field '_x' of type 'Note': the system has no") == true)
    }

    @Test("is promoted into an empty production with everything that it says")
    func firstPromotion() throws {
        let development = try schema(Self.base, version: 8)
        let promotion = try #require(
            try SchemaRules.promotion(from: development, to: RecordSchema(version: 2)))
        #expect(promotion.schema.version == 3)
        #expect(promotion.schema.hasSameContent(as: development))
        #expect(
            promotion.added.map(\.description) == [
                "field 'secret' of type 'Note': ENCRYPTED BYTES",
                "field 'title' of type 'Note': QUERYABLE", "field 'title' of type 'Note': STRING",
                "role 'r'", "type 'Note'", "type 'Note': READ to 'r'",
            ])
    }

    @Test("is not promoted where production has it all")
    func emptyPromotion() throws {
        let development = try schema(Self.base, version: 8)
        let production = try schema(Self.base, version: 3)
        #expect(try SchemaRules.promotion(from: development, to: production) == nil)
    }

    @Test("adds types, fields, indexes, roles and grants to production")
    func additions() throws {
        let more = """
            CREATE ROLE r; CREATE ROLE s; RECORD TYPE Other ();
            RECORD TYPE Note (title STRING QUERYABLE SORTABLE, secret ENCRYPTED BYTES, n INT64,
                "___recordID" REFERENCE QUERYABLE, GRANT READ, WRITE TO r, GRANT READ TO s);
            """
        let development = try schema(more)
        let production = try schema(Self.base)
        let added = try SchemaRules.promotion(from: development, to: production)?.added
        #expect(
            Set(added ?? []) == [
                .role("s"), .type("Other"), .field("Note", "n", FieldShape(FieldKind(.int64))),
                .index("Note", "title", .sortable), .index("Note", "___recordID", .queryable),
                .grant("Note", "r", .write), .grant("Note", "s", .read),
            ])
        // In the other direction, each of these additions would be a loss.
        let error = refusal { () throws(RecordError) in
            try SchemaRules.promotion(from: production, to: development)
        }
        #expect(error?.code == .invalidArguments)
        for part in added ?? [] { #expect(error?.reason.contains("\(part): is in prod") == true) }
    }

    @Test("is refused with a list where production would lose or change something")
    func refusedPromotion() throws {
        let production = try note("title STRING QUERYABLE, secret ENCRYPTED BYTES, n INT64")
        let development = try note("title STRING, secret BYTES, m INT64")
        let error = refusal { () throws(RecordError) in
            try SchemaRules.promotion(from: development, to: production)
        }
        #expect(
            error?.reason
                == "promote the schema: field 'secret' of type 'Note': is ENCRYPTED BYTES, "
                + "and cannot become BYTES; field 'n' of type 'Note': INT64: is in production, and "
                + "not in development; field 'title' of type 'Note': QUERYABLE: is in production, "
                + "and not in development")
    }

    @Test("is not promoted where it does not hold")
    func faultyPromotion() throws {
        let development = try note("a LOCATION SORTABLE")
        #expect(
            isRefused { () throws(RecordError) in
                try SchemaRules.promotion(from: development, to: RecordSchema())
            })
    }

    @Test("tells the fields that would change in the order of their names")
    func changeOrder() throws {
        let names = (0..<20).map { "f\(10 + $0)" }
        let former = try note(names.map { "\($0) STRING" }.joined(separator: ","))
        let next = try note(names.map { "\($0) INT64" }.joined(separator: ","))
        let difference = SchemaDifference(from: former, to: next)
        #expect(difference.changed.map(\.name) == names)
        #expect(difference.added.isEmpty && difference.removed.isEmpty)
    }

    @Test("keeps the system's fields when they are removed, and drops their indexes")
    func removedFields() throws {
        var type = try #require(
            try note("\"___recordID\" REFERENCE QUERYABLE, a STRING").types["Note"])
        type.remove("___recordID")
        type.remove("a")
        #expect(type == RecordType())
    }

    @Test("differs from another in what one says and the other does not, at random")
    func differences() throws {
        var random = TestRandom(seed: 7)
        for _ in 0..<300 {
            let (one, other) = (random.schema(), random.schema())
            let (there, back) = (
                SchemaDifference(from: one, to: other), SchemaDifference(from: other, to: one)
            )
            #expect(there.added == back.removed && there.removed == back.added)
            #expect(there.changed.map(\.former) == back.changed.map(\.next))
            #expect(there.isEmpty == one.hasSameContent(as: other))
            #expect(SchemaDifference(from: one, to: one).isEmpty)
            let isRefused = !there.removed.isEmpty || !there.changed.isEmpty
            let error = refusal { () throws(RecordError) in
                try SchemaRules.promotion(from: other, to: one)
            }
            #expect((error != nil) == isRefused)
        }
    }
}
