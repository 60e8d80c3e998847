import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Searching through the web service")
struct ServiceSearchTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
        let schema = """
            DEFINE SCHEMA ( RECORD TYPE Shop (
            name STRING QUERYABLE SEARCHABLE, note STRING SEARCHABLE, plain STRING QUERYABLE,
            place LOCATION QUERYABLE, secret ENCRYPTED STRING, home ENCRYPTED LOCATION,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world" ); );
            """
        try fixture.core.importSchema(Array(schema.utf8))
        func shop(_ record: String, _ name: String, _ note: String, _ latitude: Double) -> String {
            operation(
                "create", record, type: "Shop",
                fields: """
                    "name":{"value":"\(name)"},"note":{"value":"\(note)"},
                    "place":{"value":{"latitude":\(latitude),"longitude":16}},
                    "secret":{"value":"hidden","type":"STRING","isEncrypted":true}
                    """)
        }
        let saved = try fixture.modify(
            shop("a", "Blue bakery", "open late", 48), shop("b", "Late cafe", "blue door", 48.01),
            shop("c", "Bakery Two", "closed", 49))
        try #require(saved.codes == [nil, nil, nil], "\(saved.text)")
    }

    private func query(_ query: String, more: String = "") throws -> ServiceReply {
        try fixture.ask(
            "records/query",
            """
            {"query":{"recordType":"Shop",\(query)},"zoneID":{"zoneName":"myZone"}\(more)}
            """)
    }

    private func words(_ comparator: String, _ text: String, field: String? = nil) -> String {
        let name = field.map { "\"fieldName\":\"\($0)\"," } ?? ""
        return """
            "filterBy":[{"comparator":"\(comparator)",\(name)"fieldValue":{"value":"\(text)"}}]
            """
    }

    private func near(_ meters: String, field: String = "place") -> String {
        """
        "filterBy":[{"comparator":"NEAR","fieldName":"\(field)","distance":\(meters),
        "fieldValue":{"value":{"latitude":48,"longitude":16},"type":"LOCATION"}}]
        """
    }

    @Test("Words are looked for in one field, or in all that are searchable")
    func tokens() throws {
        let all = try query(words("CONTAINS_ALL_TOKENS", "late BLUE"))
        #expect(Set(all.names) == ["a", "b"])
        let named = try query(words("CONTAINS_ALL_TOKENS", "bakery", field: "name"))
        #expect(Set(named.names) == ["a", "c"])
        let any = try query(words("CONTAINS_ANY_TOKENS", "closed cafe"))
        #expect(Set(any.names) == ["b", "c"])
        #expect(try query(words("CONTAINS_ALL_TOKENS", "hidden")).names == [])
    }

    @Test("Places are looked for near a location, and sorted by their distance from one")
    func places() throws {
        #expect(try query(near("1000")).names == ["a"])
        #expect(try Set(query(near("1200.5")).names) == ["a", "b"])
        let sort = """
            "sortBy":[{"fieldName":"place","ascending":false,
            "relativeLocation":{"latitude":48.02,"longitude":16}}]
            """
        #expect(try query(near("200000") + "," + sort).names == ["c", "a", "b"])
        let first = try query(near("200000") + "," + sort, more: ",\"resultsLimit\":2")
        let marker = try #require(first.json["continuationMarker"]?.string)
        let next = try query(
            near("200000") + "," + sort,
            more: ",\"resultsLimit\":2,\"continuationMarker\":\"\(marker)\"")
        #expect(first.names == ["c", "a"] && next.names == ["b"])
    }

    @Test("Encrypted fields, and those without the index, are refused with the reason")
    func refusals() throws {
        let sort = """
            "sortBy":[{"fieldName":"home","relativeLocation":{"latitude":48,"longitude":16}}]
            """
        for (asked, reason) in [
            (words("CONTAINS_ALL_TOKENS", "hidden", field: "secret"), "is encrypted"),
            (near("1", field: "home"), "is encrypted"), (sort, "is encrypted"),
            (words("CONTAINS_ANY_TOKENS", "x", field: "plain"), "is not marked searchable"),
            (near("1", field: "name"), "cannot be compared by distance"),
            (near("\"far\""), "a number of meters"), (near("-1"), "a number of meters"),
        ] {
            let refused = try query(asked)
            #expect(refused.code == "BAD_REQUEST" && refused.status == 400)
            #expect(refused.reason?.contains(reason) == true, "\(refused.text)")
        }
    }
}
