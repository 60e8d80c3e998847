import BullaRecords
import Testing

@Suite("A query under a schema")
struct SchemaQueryTests {
    private func notes() throws -> RecordSchema {
        let text = """
            DEFINE SCHEMA
            RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP SORTABLE,
                q STRING QUERYABLE, s STRING SORTABLE, t STRING SEARCHABLE, none STRING,
                n INT64 QUERYABLE, place LOCATION QUERYABLE, owner REFERENCE QUERYABLE SORTABLE,
                tags LIST<STRING> QUERYABLE SEARCHABLE, numbers LIST<INT64> QUERYABLE,
                file ASSET, files LIST<ASSET>, secret ENCRYPTED STRING
            );
            RECORD TYPE Bare ();
            """
        return try SchemaText.read(Array(text.utf8))
    }

    @Test("filters by what the field's kind and indexes allow, and nothing else")
    func filters() throws {
        let schema = try notes()
        let allowed: [String: Set<FieldComparison>] = [
            "q": [.equality, .order, .prefix], "s": [.order, .prefix], "t": [.words], "none": [],
            "n": [.equality, .order], "place": [.equality, .distance], "owner": [.equality],
            "tags": [.equality, .membership, .memberPrefix, .words],
            "numbers": [.equality, .membership], "file": [], "files": [], "secret": [],
            "___recordID": [.equality], "___modTime": [.order], "___createTime": [],
            "unknown": [],
        ]
        for (name, comparisons) in allowed {
            for comparison in FieldComparison.allCases {
                let verdict = schema.canFilter("Note", name, by: comparison)
                switch verdict {
                case .success(let field):
                    #expect(comparisons.contains(comparison), "\(name) \(comparison)")
                    #expect(field == schema.types["Note"]?[name])
                case .failure(let error):
                    #expect(!comparisons.contains(comparison), "\(name) \(comparison)")
                    #expect(error.code == .invalidArguments)
                    #expect(error.reason.contains("'\(name)'"))
                }
            }
        }
    }

    @Test("searches for words in the searchable fields, if there are any")
    func searches() throws {
        let schema = try notes()
        #expect(try schema.canSearch("Note").get() == ["t", "tags"])
        for (type, code) in [("Bare", RecordError.Code.invalidArguments), ("None", .unknownItem)] {
            let error = #expect(throws: RecordError.self) { try schema.canSearch(type).get() }
            #expect(error?.code == code)
        }
    }

    @Test("sorts by what is sortable, and nothing else")
    func sorts() throws {
        let schema = try notes()
        let sortable: Set = ["s", "owner", "___modTime"]
        for name in (schema.types["Note"]?.fields.keys).map(Array.init) ?? [] {
            let field = try? schema.canSort("Note", name).get()
            #expect((field != nil) == sortable.contains(name), "\(name)")
        }
    }

    @Test("lists a type without a filter only where ___recordID is queryable")
    func lists() throws {
        let schema = try notes()
        #expect(try schema.canList("Note").get() == schema.types["Note"])
        #expect(
            reason(schema.canList("Bare")) == "Field 'recordName' of type 'Bare' is not marked "
                + "queryable: a query without a filter needs ___recordID QUERYABLE")
    }

    @Test("is refused with the reason")
    func reasons() throws {
        let schema = try notes()
        #expect(
            reason(schema.canFilter("Note", "secret", by: .equality)) == "Field 'secret' of type "
                + "'Note' is encrypted, and queries cannot filter or sort by it")
        #expect(
            reason(schema.canSort("Note", "secret")) == "Field 'secret' of type 'Note' is "
                + "encrypted, and queries cannot filter or sort by it")
        #expect(
            reason(schema.canFilter("Note", "none", by: .equality))
                == "Field 'none' of type 'Note' is not marked queryable")
        #expect(
            reason(schema.canFilter("Note", "q", by: .words))
                == "Field 'q' of type 'Note' is not marked searchable")
        #expect(
            reason(schema.canFilter("Note", "n", by: .prefix))
                == "Field 'n' of type 'Note' is INT64, and cannot be compared by its beginning")
        #expect(
            reason(schema.canSort("Note", "q")) == "Field 'q' of type 'Note' is not marked sortable"
        )
        #expect(
            reason(schema.canSort("Note", "unknown")) == "Unknown field 'unknown' of type 'Note'")
    }

    @Test("of a type that is not there says that the type is unknown")
    func unknownType() throws {
        let schema = try notes()
        for error in [
            error(schema.canFilter("Other", "q", by: .equality)),
            error(schema.canSort("Other", "q")), error(schema.canList("Other")),
        ] {
            #expect(error == RecordError(.unknownItem, "Did not find record type: Other"))
        }
    }

    private func error<T>(_ result: Result<T, RecordError>) -> RecordError? {
        if case .failure(let error) = result { error } else { nil }
    }

    private func reason<T>(_ result: Result<T, RecordError>) -> String? { error(result)?.reason }
}
