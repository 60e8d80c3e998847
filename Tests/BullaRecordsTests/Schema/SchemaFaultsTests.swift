import BullaRecords
import Testing

@Suite("The faults of a schema")
struct SchemaFaultsTests {
    /// Texts, each with the descriptions of all its faults.
    static let faulty: [(String, [String])] = [
        ("CREATE ROLE \"_world\";", ["role '_world': is the system's, and need not be created"]),
        ("CREATE ROLE \"a.b\";", ["role 'a.b': \(notWord)"]),
        ("RECORD TYPE \"9\" ();", ["type '9': \(notWord)"]),
        ("RECORD TYPE \"_T\" ();", ["type '_T': \(notWord)"]),
        ("RECORD TYPE \"cloudkit.other\" ();", ["type 'cloudkit.other': \(notWord)"]),
        ("RECORD TYPE T (\"a-b\" STRING);", ["field 'a-b' of type 'T': \(notWord)"]),
        (
            "RECORD TYPE T (\"cloudkit.title\" STRING);",
            ["field 'cloudkit.title' of type 'T': \(notWord)"]
        ),
        (
            "RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" BYTES);",
            [
                "field 'cloudkit.title' of type 'cloudkit.share': is the system's, and STRING"
            ]
        ),
        (
            "RECORD TYPE T (\"___recordName\" STRING);",
            ["field '___recordName' of type 'T': the system has no such field"]
        ),
        (
            "RECORD TYPE T (\"___etag\" INT64);",
            ["field '___etag' of type 'T': is the system's, and STRING"]
        ),
        (
            "RECORD TYPE T (\"___etag\" ENCRYPTED STRING);",
            ["field '___etag' of type 'T': is the system's, and STRING"]
        ),
        (
            "RECORD TYPE T (a ENCRYPTED REFERENCE, b LIST<ENCRYPTED ASSET>);",
            [
                "field 'a' of type 'T': REFERENCE is never encrypted: the store follows it",
                "field 'b' of type 'T': ASSET is never encrypted: the store follows it",
            ]
        ),
        (
            "RECORD TYPE T (a ENCRYPTED STRING QUERYABLE);",
            ["field 'a' of type 'T': an encrypted field has no index"]
        ),
        (
            "RECORD TYPE T (a LOCATION SORTABLE QUERYABLE);",
            ["field 'a' of type 'T': LOCATION is not SORTABLE"]
        ),
        (
            "RECORD TYPE T (a ASSET QUERYABLE SORTABLE);",
            ["field 'a' of type 'T': ASSET is not QUERYABLE SORTABLE"]
        ),
        (
            "RECORD TYPE T (a LIST<INT64> SORTABLE);",
            ["field 'a' of type 'T': LIST<INT64> is not SORTABLE"]
        ),
        (
            "RECORD TYPE T (a INT64 SEARCHABLE);",
            ["field 'a' of type 'T': INT64 is not SEARCHABLE"]
        ),
        (
            "RECORD TYPE T (GRANT READ TO r);",
            ["type 'T': READ to 'r': the role is not created"]
        ),
    ]

    static let notWord = "a name is a letter, then letters, digits and underscores, at most 255"

    @Test("are found, each by its place and reason", arguments: faulty)
    func found(text: String, expected: [String]) throws {
        let schema = try SchemaText.read(Array("DEFINE SCHEMA \(text)".utf8))
        #expect(schema.faults().map(\.description) == expected)
    }

    @Test("are all found at once, in an order that stays")
    func all() throws {
        let text =
            "DEFINE SCHEMA "
            + Self.faulty.dropFirst(10).enumerated().map {
                $1.0.replacing("TYPE T", with: "TYPE T\($0)")
            }.joined(separator: " ")
        let faults = try SchemaText.read(Array(text.utf8)).faults()
        #expect(faults.count == 9)
        #expect(faults == faults.sorted())
        let error = try #require(SchemaFault.error("try it", faults))
        #expect(error.code == .invalidArguments)
        #expect(error.reason.hasPrefix("try it: \(faults[0]); \(faults[1]); "))
        #expect(SchemaFault.error("try it", []) == nil)
    }

    @Test("are told up to a number, and counted after it")
    func many() throws {
        let faults = (0..<25).map { SchemaFault("type 'T\($0)'", "is wrong") }
        let error = try #require(SchemaFault.error("try it", faults))
        #expect(error.reason.hasSuffix("type 'T19': is wrong; and 5 more"))
    }

    @Test("have the size of the text among them")
    func size() {
        var type = RecordType()
        let tail = String(repeating: "x", count: 240)
        for index in 0..<4_200 { type.set("f\(index)\(tail)", to: SchemaField(FieldKind(.bytes))) }
        let schema = RecordSchema(types: ["T": type])
        #expect(schema.faults().map(\.place) == ["schema"])
    }

    @Test("do not include an index that its field may have")
    func allowed() {
        for element in ValueKind.allCases {
            for (isList, isEncrypted) in [
                (false, false), (true, false), (false, true), (true, true),
            ] {
                let shape = FieldShape(FieldKind(element, isList: isList), isEncrypted: isEncrypted)
                for index in [FieldIndexes.queryable, .sortable, .searchable] {
                    var type = RecordType()
                    type.set("f", to: SchemaField(shape, indexes: index))
                    let faults = RecordSchema(types: ["T": type]).faults()
                    let isSealable = element != .reference && element != .asset
                    let holds =
                        FieldIndexes.allowed(for: shape).contains(index)
                        && (isSealable || !isEncrypted)
                    #expect(faults.isEmpty == holds)
                }
            }
        }
    }
}
