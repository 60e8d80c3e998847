import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Queries on the wire")
struct QueryRequestTests {
    private let context = WebSupport.context()
    private let defaultZone = ZoneIdentifier("_defaultZone", owner: WebSupport.account)

    @Test("A query is read", arguments: RecordQuery.Comparator.allCases.filter { $0 != .near })
    func query(comparator: RecordQuery.Comparator) throws {
        let takesMany =
            comparator.comparison == .membership || comparator == .in || comparator == .notIn
        let (sent, type) = takesMany ? ("[1,2]", "TIMESTAMP_LIST") : ("1", "TIMESTAMP")
        let request = try QueryRequest(
            try WebSupport.json(
                """
                {"query":{"recordType":"Note","filterBy":[
                {"comparator":"\(comparator.wireName)","fieldName":"amount",
                "fieldValue":{"value":\(sent)}},
                {"comparator":"\(comparator.wireName)","systemFieldName":"createdTimestamp",
                "fieldValue":{"value":\(sent),
                "type":"\(type)"}}],
                "sortBy":[{"fieldName":"amount"},
                {"systemFieldName":"___modTime","ascending":false}]},
                "zoneID":{"zoneName":"myZone"},"resultsLimit":500,"continuationMarker":"AP8=",
                "desiredKeys":[]}
                """), context)
        #expect(request.zone == WebSupport.zone && request.desiredKeys == [])
        #expect(request.resultsLimit == 200 && request.continuationMarker == [0, 255])
        let count = takesMany ? 2 : 1
        #expect(
            request.query
                == RecordQuery(
                    "Note",
                    filters: [
                        RecordQuery.Filter(
                            "amount", comparator, Array([.double(1), .double(2)].prefix(count))),
                        RecordQuery.Filter(
                            "___createTime", comparator,
                            Array([.timestamp(1), .timestamp(2)].prefix(count))),
                    ],
                    sorts: [
                        RecordQuery.Sort("amount"),
                        RecordQuery.Sort("___modTime", isAscending: false),
                    ]))
    }

    @Test("The name that stands for all fields inside the library is none on the wire")
    func reservedName() throws {
        for query in [
            "\"filterBy\":[{\"comparator\":\"CONTAINS_ALL_TOKENS\","
                + "\"fieldName\":\"___allTokens\",\"fieldValue\":{\"value\":\"a\"}}]",
            "\"sortBy\":[{\"fieldName\":\"___allTokens\"}]",
        ] {
            let sent = try WebSupport.json("{\"query\":{\"recordType\":\"Note\",\(query)}}")
            let error = #expect(throws: RecordError.self) { try QueryRequest(sent, context) }
            #expect(error?.code == .invalidArguments)
            #expect(error?.reason.contains("the name of a field") == true)
        }
    }

    @Test("Names of fields that no field has are left out, and cost no time")
    func desiredKeys() throws {
        let endless = "e" + String(repeating: "\u{301}\u{316}", count: 100_000)
        let sent = try WebSupport.json(
            "{\"query\":{\"recordType\":\"Note\"},\"desiredKeys\":[\"a\",\"\(endless)\"]}")
        #expect(try QueryRequest(sent, context).desiredKeys == ["a"])
    }

    @Test("Each comparator has one name")
    func comparators() {
        let names = RecordQuery.Comparator.allCases.map(\.wireName)
        #expect(Set(names).count == names.count)
        #expect(
            names.filter { !$0.hasPrefix("NOT_") } == [
                "EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN",
                "GREATER_THAN_OR_EQUALS", "IN", "LIST_CONTAINS", "LIST_CONTAINS_ANY",
                "LIST_CONTAINS_ALL", "BEGINS_WITH", "LIST_MEMBER_BEGINS_WITH",
                "CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS", "NEAR",
            ])
    }

    @Test("Words and places are read, words without a field for all fields")
    func searches() throws {
        let request = try QueryRequest(
            try WebSupport.json(
                """
                {"query":{"recordType":"Note","filterBy":[
                {"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"a b","type":"STRING"}},
                {"comparator":"CONTAINS_ANY_TOKENS","fieldName":"title",
                "fieldValue":{"value":["a","b"],"type":"STRING_LIST"}},
                {"comparator":"NEAR","fieldName":"place","distance":1500,
                "fieldValue":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"}}],
                "sortBy":[{"fieldName":"place","relativeLocation":{"latitude":3,"longitude":4}}]}}
                """), context)
        #expect(
            request.query.filters == [
                .init("___allTokens", .containsAllTokens, [.string("a b")]),
                .init("title", .containsAnyTokens, [.string("a"), .string("b")]),
                .init(
                    "place", .near,
                    [.location(Location(latitude: 1, longitude: 2)), .double(1_500)]),
            ])
        let origin = Location(latitude: 3, longitude: 4)
        #expect(request.query.sorts == [RecordQuery.Sort("place", from: origin)])
    }

    @Test("A filter may stand alone, ask all zones, and look into a list of the schema")
    func smallQuery() throws {
        let request = try QueryRequest(
            try WebSupport.json(
                """
                {"zoneWide":true,"query":{"recordType":"Note","filterBy":{"fieldName":"tags",
                "comparator":"LIST_CONTAINS","fieldValue":{"value":"x"}}}}
                """), context)
        #expect(request.zone == nil && request.resultsLimit == 200)
        #expect(request.continuationMarker == nil && request.query.sorts.isEmpty)
        #expect(request.query.filters.map(\.values) == [[.string("x")]])
    }

    @Test("A list is compared with a list as one value")
    func listQuery() throws {
        let request = try QueryRequest(
            try WebSupport.json(
                """
                {"query":{"recordType":"Note","filterBy":[{"fieldName":"tags",
                "comparator":"EQUALS","fieldValue":{"value":["x","y"]}}]}}
                """), context)
        #expect(
            request.query.filters.map(\.values)
                == [[.list(.string, [.string("x"), .string("y")])]])
    }

    @Test("Records are looked for by their names, or by references to them")
    func recordNames() throws {
        let reference = RecordValue.reference(
            RecordReference(RecordIdentifier("r", in: defaultZone)))
        for (sent, comparator, values) in [
            ("{\"value\":\"r\"}", "EQUALS", [.string("r")]),
            ("{\"value\":\"r\",\"type\":\"STRING\"}", "EQUALS", [.string("r")]),
            ("{\"value\":{\"recordName\":\"r\"},\"type\":\"REFERENCE\"}", "EQUALS", [reference]),
            ("{\"value\":{\"recordName\":\"r\"}}", "EQUALS", [reference]),
            ("{\"value\":[\"r\",\"s\"]}", "IN", [.string("r"), .string("s")]),
        ] as [(String, String, [RecordValue])] {
            let filter =
                "{\"systemFieldName\":\"recordName\",\"comparator\":\"\(comparator)\","
                + "\"fieldValue\":\(sent)}"
            let request = try QueryRequest(
                try WebSupport.json(
                    "{\"query\":{\"recordType\":\"T\",\"filterBy\":[\(filter)]}}"), context)
            #expect(request.query.filters.map(\.field) == ["___recordID"])
            #expect(request.query.filters.map(\.values) == [values])
        }
    }

    @Test(
        "A query that is none is refused",
        arguments: [
            "{\"query\":{\"recordType\":\"T\"},\"continuationMarker\":\"m\"}",
            "{}", "{\"query\":{}}", "{\"query\":{\"recordType\":\"T\"},\"resultsLimit\":0}",
            "{\"query\":{\"recordType\":\"T\"},\"resultsLimit\":-1}",
            "{\"query\":{\"recordType\":\"T\"},\"resultsLimit\":1.5}",
            "{\"query\":{\"recordType\":\"T\"},\"zoneWide\":true,\"zoneID\":{}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"fieldName\":\"a\"}]}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"fieldName\":\"a\","
                + "\"comparator\":\"NEXT_TO\","
                + "\"fieldValue\":{\"value\":1}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"fieldName\":\"a\","
                + "\"comparator\":\"NEAR\","
                + "\"fieldValue\":{\"value\":{\"latitude\":1,\"longitude\":1}}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"fieldName\":\"a\","
                + "\"comparator\":\"NEAR\",\"distance\":-1,"
                + "\"fieldValue\":{\"value\":{\"latitude\":1,\"longitude\":1}}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{"
                + "\"comparator\":\"EQUALS\",\"fieldValue\":{\"value\":1}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"sortBy\":[{\"fieldName\":\"a\","
                + "\"relativeLocation\":{\"latitude\":1}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"fieldName\":\"a\","
                + "\"comparator\":\"IN\","
                + "\"fieldValue\":{\"value\":1}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"fieldName\":\"a\","
                + "\"comparator\":\"EQUALS\",\"fieldValue\":{\"value\":null}}]}}",
            "{\"query\":{\"recordType\":\"T\",\"sortBy\":[{\"systemFieldName\":\"size\"}]}}",
            "{\"query\":{\"recordType\":\"T\",\"sortBy\":[{\"ascending\":true}]}}",
        ])
    func badQuery(text: String) {
        let error = #expect(throws: RecordError.self) {
            try QueryRequest(try WebSupport.json(text), context)
        }
        #expect(error?.code == .invalidArguments)
    }
}
