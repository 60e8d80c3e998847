import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Searching for words and places")
struct SearchQueryTests {
    private let fixture: CoreFixture
    private let view: DatabaseView

    init() throws {
        var limits = RecordLimits()
        limits.answerCount = 13
        limits.searchByteCount = 2_000
        limits.sortByteCount = 8_000
        fixture = try CoreFixture(limits: limits)
        view = try fixture.database()
        let schema = """
            DEFINE SCHEMA
            RECORD TYPE Item (
                "___recordID" REFERENCE QUERYABLE, body STRING SEARCHABLE, hidden STRING,
                hole LOCATION, number INT64 QUERYABLE SORTABLE, place LOCATION QUERYABLE,
                places LIST<LOCATION> QUERYABLE, rank STRING SORTABLE, secret ENCRYPTED STRING,
                secretPlace ENCRYPTED LOCATION, tags LIST<STRING> SEARCHABLE,
                title STRING QUERYABLE SEARCHABLE
            );
            RECORD TYPE Bare ( title STRING QUERYABLE );
            RECORD TYPE Own (
                place LOCATION QUERYABLE, title STRING SEARCHABLE,
                GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud"
            );
            """
        try fixture.core.importSchema(Array(schema.utf8))
    }

    private static let bread: [String: RecordValue] = [
        "title": .string("Caf\u{E9} bread"), "body": .string("Mix flour, water & SALT."),
        "tags": .list(.string, [.string("baking"), .string("slow food")]),
        "hidden": .string("treasure"), "number": .int64(1),
        "place": .location(Location(latitude: 48.2, longitude: 16.37)),
    ]
    private static let soup: [String: RecordValue] = [
        "title": .string("Soup"), "body": .string("Water and bread."), "number": .int64(2),
        "place": .location(Location(latitude: 48.15, longitude: 17.11)),
    ]
    private static let void: [String: RecordValue] = [
        "title": .string("Salt"), "number": .int64(3),
        "place": .location(Location(latitude: 100, longitude: 0)),
    ]

    private func save(_ name: String, _ fields: [String: RecordValue]) throws {
        let changes = fields.mapValues { RecordChange.FieldChange($0) }
        try #require(try view.save(name, changes, type: "Item").code == nil)
    }

    private func saveThree() throws {
        try save("bread", Self.bread)
        try save("soup", Self.soup)
        try save("void", Self.void)
        try save("empty", [:])
    }

    private func answer(_ query: RecordQuery, limit: Int? = nil) throws -> [String] {
        var names: [String] = []
        var mark: [UInt8]?
        repeat {
            let page = try view.query(query, in: CoreFixture.zone, after: mark, limit: limit)
            #expect(page.failures.isEmpty && page.records.count <= limit ?? 13)
            names += page.records.map(\.identifier.name)
            mark = page.mark
        } while mark != nil
        return names
    }

    private func found(_ filters: RecordQuery.Filter...) throws -> [String] {
        try answer(RecordQuery("Item", filters: filters)).sorted()
    }

    private func words(
        _ text: String, _ comparator: RecordQuery.Comparator = .containsAllTokens,
        in field: String = RecordQuery.Filter.everySearchedField
    ) -> RecordQuery.Filter {
        RecordQuery.Filter(field, comparator, [.string(text)])
    }

    @Test("Words are found in one field, in a list, and in all searchable fields together")
    func search() throws {
        try saveThree()
        #expect(try found(words("BREAD")) == ["bread", "soup"])
        #expect(try found(words("bread", in: "title")) == ["bread"])
        #expect(try found(words("cafe")) == ["bread"])
        // One word is in the list, one in the body, and one in the title.
        #expect(try found(words("slow: salt caf\u{E9}?")) == ["bread"])
        #expect(try found(words("slow salt cafe", in: "title")) == [])
        #expect(try found(words("slow baking", in: "tags")) == ["bread"])
        #expect(try found(words("salt soup", .containsAnyTokens)) == ["bread", "soup", "void"])
        #expect(try found(words("salt soup", .containsAnyTokens, in: "title")) == ["soup", "void"])
        // Words are compared whole, and a field that is not searchable is not searched.
        #expect(try found(words("brea")) == [] && found(words("treasure")) == [])
        #expect(
            try found(words("bread"), RecordQuery.Filter("number", .greaterThan, [.int64(1)]))
                == ["soup"])
        #expect(try found(words("bread"), words("soup")) == ["soup"])
        let several = RecordQuery.Filter(
            "title", .containsAnyTokens, [.string("soup"), .string("x")])
        #expect(try found(several) == ["soup"])
    }

    @Test("Places are found within a distance, which includes its limit")
    func near() throws {
        try saveThree()
        let vienna = Location(latitude: 48.2, longitude: 16.37)
        func near(_ meters: Double) -> RecordQuery.Filter {
            RecordQuery.Filter("place", .near, [.location(vienna), .double(meters)])
        }
        #expect(try found(near(0)) == ["bread"] && found(near(50_000)) == ["bread"])
        let other = Location(latitude: 48.15, longitude: 17.11)
        let distance = try #require(other.distance(to: vienna))
        #expect(distance > 54_000 && distance < 56_000)
        #expect(try found(near(distance)) == ["bread", "soup"])
        #expect(try found(near(distance.nextDown)) == ["bread"])
        #expect(try found(near(2e7), words("bread", in: "title")) == ["bread"])
    }

    @Test("Records are sorted by their distance, page by page, those without a place last")
    func order() throws {
        var random = TestRandom(seed: 31)
        let origin = Location(latitude: 10, longitude: 179)
        var distances: [String: Double] = [:]
        for index in 0..<40 {
            var fields: [String: RecordValue] = ["number": .int64(Int64(index % 2))]
            if index % 5 != 0 {
                let place = Location(
                    latitude: Double(random.below(181)) - 90,
                    longitude: Double(random.below(361)) - 180)
                fields["place"] = .location(place)
                distances["r\(index)"] = place.distance(to: origin)
            }
            try save("r\(index)", fields)
        }
        try save("void", Self.void)
        for isAscending in [true, false] {
            let sort = RecordQuery.Sort("place", isAscending: isAscending, from: origin)
            let found = try answer(RecordQuery("Item", sorts: [sort]), limit: 7)
            #expect(found.count == 41 && Set(found).count == 41)
            let known = found.compactMap { distances[$0] }
            #expect(found.prefix(32).allSatisfy { distances[$0] != nil } && known.count == 32)
            let order = isAscending ? known : known.reversed()
            #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
        }
        let both = try answer(
            RecordQuery(
                "Item", filters: [.init("number", .lessThan, [.int64(2)])],
                sorts: [.init("number"), .init("place", from: origin)]))
        #expect(both.count == 40)
        let even = both.prefix(20).compactMap { distances[$0] }
        #expect(even == even.sorted() && even.count == 16)
    }

    @Test("A mark goes on only with the location that it was made for")
    func marks() throws {
        for name in ["a", "b", "c"] { try save(name, Self.bread) }
        func query(_ latitude: Double, isAscending: Bool = true) -> RecordQuery {
            let origin = Location(latitude: latitude, longitude: 0)
            return RecordQuery(
                "Item", sorts: [.init("place", isAscending: isAscending, from: origin)])
        }
        let mark = try #require(try view.query(query(1), in: CoreFixture.zone, limit: 1).mark)
        #expect(try view.query(query(1), in: CoreFixture.zone, after: mark).records.count == 2)
        for other in [query(2), query(1, isAscending: false)] {
            expect(.invalidArguments) {
                try view.query(other, in: CoreFixture.zone, after: mark)
            }
        }
    }

    @Test("A page ends when it has searched enough text, and the next one goes on")
    func longTexts() throws {
        let text = String(repeating: "word ", count: 300)
        for index in 0..<20 {
            try save("r\(index)", ["body": .string(index == 9 ? text + "needle" : text)])
        }
        let query = RecordQuery("Item", filters: [words("needle")])
        let first = try view.query(query, in: CoreFixture.zone)
        #expect(first.mark != nil && first.records.isEmpty)
        #expect(try answer(query) == ["r9"])
        let sort = RecordQuery.Sort("place", from: Location(latitude: 0, longitude: 0))
        let sorted = RecordQuery("Item", filters: [words("needle")], sorts: [sort])
        expect(.limitExceeded) { try view.query(sorted, in: CoreFixture.zone) }
    }

    @Test("A text counts once for all filters, and a page ends with the record that is too much")
    func severalFilters() throws {
        for index in 0..<5 {
            let text = String(repeating: "word ", count: 300) + "n\(index)"
            try save("r\(index)", ["body": .string(text), "title": .string("x")])
        }
        for count in [1, 2, 8] {
            var filters = [words("word")]
            for index in 1..<8 where index < count {
                let field = index % 2 == 0 ? "body" : RecordQuery.Filter.everySearchedField
                filters.append(words("word \(index)", .containsAnyTokens, in: field))
            }
            let query = RecordQuery("Item", filters: filters)
            let first = try view.query(query, in: CoreFixture.zone)
            #expect(first.records.count == 2 && first.mark != nil)
            #expect(try answer(query).count == 5)
        }
        #expect(try found(words("word"), words("n3 n4", .containsAnyTokens)) == ["r3", "r4"])
    }

    @Test("All filters of a query together may look for so many words, in so long texts")
    func wordLimits() throws {
        try saveThree()
        let nine = [RecordQuery.Filter](repeating: words("bread"), count: 9)
        expect(.limitExceeded) { try answer(RecordQuery("Item", filters: nine)) }
        #expect(
            try answer(RecordQuery("Item", filters: Array(nine.prefix(8)))).sorted()
                == ["bread", "soup"])
        func many(_ range: Range<Int>) -> RecordQuery.Filter {
            words(range.map { "w\($0)" }.joined(separator: " "))
        }
        #expect(try found(many(0..<50), many(40..<100)) == [])
        expect(.limitExceeded) { try found(many(0..<50), many(50..<101)) }
        let long = String(repeating: "\u{301}", count: 4_096)
        #expect(try found(words("bread" + long)) == ["bread", "soup"])
        expect(.limitExceeded) { try found(words("bread" + long), words("bread" + long)) }
        // The limit is checked before any of the text is read.
        let endless = "e" + String(repeating: "\u{301}\u{316}", count: 250_000)
        expect(.limitExceeded) { try found(words(endless)) }
        try save("marks", ["body": .string(endless.prefixOfBytes(900_000) + " bread")])
        #expect(try found(words("bread", in: "body")) == ["marks", "soup"])
    }

    @Test("A sort by several fields keeps no more bytes than the limit")
    func sortedBytes() throws {
        let sorts: [RecordQuery.Sort] = [.init("number"), .init("rank", isAscending: false)]
        let query = RecordQuery("Item", sorts: sorts)
        for index in 0..<7 {
            let rank = "\(index)" + String(repeating: "x", count: 1_000)
            try save("r\(index)", ["number": .int64(Int64(index / 4)), "rank": .string(rank)])
        }
        #expect(
            try answer(query, limit: 2) == ["r3", "r2", "r1", "r0", "r6", "r5", "r4"])
        try save("r7", ["rank": .string(String(repeating: "x", count: 1_000))])
        let error = expect(.limitExceeded) { try answer(query) }
        #expect(error?.reason.contains("8000 bytes") == true)
    }

    @Test("Who takes part in the share of one record finds words and places there alone")
    func shares() throws {
        for name in ["root", "outside"] { try save(name, Self.bread) }
        try fixture.publish(2)
        let share = try view.share("share", of: "root", with: [2: .readOnly]).record
        let other = try fixture.accept(fixture.token(of: share), 2)
        let vienna = Location(latitude: 48.2, longitude: 16.37)
        let near = RecordQuery.Filter("place", .near, [.location(vienna), .double(10)])
        for filter in [words("bread"), near] {
            let query = RecordQuery("Item", filters: [filter])
            #expect(try answer(query).sorted() == ["outside", "root"])
            let page = try other.query(query, in: CoreFixture.zone)
            #expect(page.records.map(\.identifier.name) == ["root"] && page.mark == nil)
            let sort = RecordQuery.Sort("place", from: vienna)
            let sorted = try other.query(
                RecordQuery("Item", filters: [filter], sorts: [sort]), in: CoreFixture.zone)
            #expect(sorted.records.map(\.identifier.name) == ["root"])
        }
    }

    @Test("In the public database nobody finds what the schema does not let it read")
    func publicDatabase() throws {
        let zone = ZoneIdentifier.defaultName
        let vienna = Location(latitude: 48.2, longitude: 16.37)
        let fields: [String: RecordChange.FieldChange?] = [
            "title": .plain(.string("bread")), "place": .plain(.location(vienna)),
        ]
        let own = try fixture.core.database(.public, .account(fixture.account(1)))
        try #require(try own.save("own", fields, type: "Own", in: zone).code == nil)
        let near = RecordQuery.Filter("place", .near, [.location(vienna), .double(10)])
        let stranger = try fixture.core.database(.public, .account(fixture.account(2)))
        let nobody = try fixture.core.database(.public, .nobody)
        for filter in [words("bread"), near] {
            let query = RecordQuery("Own", filters: [filter])
            #expect(try own.query(query, in: zone).records.map(\.identifier.name) == ["own"])
            for view in [stranger, nobody] {
                let page = try view.query(query, in: zone)
                #expect(page.records.isEmpty && page.failures.isEmpty && page.mark == nil)
            }
        }
    }

    @Test("What the schema does not let a query search is refused with the reason")
    func refusals() throws {
        let place = RecordValue.location(Location(latitude: 1, longitude: 1))
        let far = RecordValue.location(Location(latitude: 91, longitude: 1))
        let filters: [(RecordQuery.Filter, String)] = [
            (words("x", in: "secret"), "is encrypted"), (words("x", in: "hidden"), "searchable"),
            (words("x", in: "number"), "cannot be searched for words"),
            (words("x", in: "none"), "Unknown field"), (words(" ,;"), "the text has none"),
            (.init("title", .containsAllTokens, [.int64(1)]), "another value than a text"),
            (.init("title", .containsAllTokens, []), "the text has none"),
            (.init("secretPlace", .near, [place, .double(1)]), "is encrypted"),
            (.init("hole", .near, [place, .double(1)]), "is not marked queryable"),
            (.init("places", .near, [place, .double(1)]), "cannot be compared by distance"),
            (.init("title", .near, [place, .double(1)]), "cannot be compared by distance"),
            (.init("place", .near, [far, .double(1)]), "on the globe"),
            (.init("place", .near, [place, .double(-1)]), "not negative"),
            (.init("place", .near, [place, .double(.nan)]), "not negative"),
            (.init("place", .near, [place]), "on the globe"),
        ]
        for (filter, reason) in filters {
            let error = expect(.invalidArguments) { try found(filter) }
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        }
        let many = (0...100).map { "w\($0)" }.joined(separator: " ")
        expect(.limitExceeded) { try found(words(many)) }
        let origin = Location(latitude: 0, longitude: 0)
        for (sort, reason) in [
            (RecordQuery.Sort("secretPlace", from: origin), "is encrypted"),
            (.init("hole", from: origin), "is not marked queryable"),
            (.init("number", from: origin), "cannot be compared by distance"),
            (.init("place"), "is not marked sortable"),
            (.init("place", from: Location(latitude: 0, longitude: 181)), "not on the globe"),
        ] {
            let error = expect(.invalidArguments) {
                try answer(RecordQuery("Item", sorts: [sort]))
            }
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        }
        let bare = expect(.invalidArguments) {
            try answer(RecordQuery("Bare", filters: [words("x")]))
        }
        #expect(bare?.reason.contains("no field that is marked searchable") == true)
    }

    @discardableResult
    private func expect<R>(
        _ code: RecordError.Code, _ body: () throws -> R
    ) -> RecordError? {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == code)
        return error
    }
}

extension String {
    /// The beginning of the text, cut off after this many bytes.
    fileprivate func prefixOfBytes(_ count: Int) -> String {
        String(decoding: Array(utf8.prefix(count)), as: UTF8.self)
    }
}
