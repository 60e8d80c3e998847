import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Queries")
struct QueryTests {
    private let fixture: CoreFixture
    private let view: DatabaseView

    init() throws {
        var limits = RecordLimits()
        limits.answerCount = 13
        fixture = try CoreFixture(limits: limits)
        view = try fixture.database()
    }

    private static let schema = """
        DEFINE SCHEMA
        RECORD TYPE Item (
            "___createTime" TIMESTAMP QUERYABLE SORTABLE,
            "___recordID" REFERENCE QUERYABLE,
            hidden STRING,
            number INT64 QUERYABLE SORTABLE,
            price DOUBLE QUERYABLE SORTABLE,
            secret ENCRYPTED STRING,
            tags LIST<STRING> QUERYABLE,
            title STRING QUERYABLE SORTABLE,
            to REFERENCE QUERYABLE
        );
        """

    private func define() throws {
        try fixture.core.importSchema(Array(Self.schema.utf8))
    }

    /// Saves records that have some of the fields, and returns the fields of each record.
    private func fill(_ count: Int) throws -> [String: [String: RecordValue]] {
        var random = TestRandom(seed: 11)
        var all: [String: [String: RecordValue]] = [:]
        let zone = ZoneIdentifier(CoreFixture.zone, owner: view.session.account)
        for index in 0..<count {
            var fields: [String: RecordValue] = [:]
            if !random.isOne(in: 5) { fields["number"] = .int64(Int64(random.below(9)) - 4) }
            if !random.isOne(in: 5) { fields["price"] = .double(Double(random.below(9)) / 2 - 2) }
            if !random.isOne(in: 5) {
                fields["title"] = .string(random.pick(["", "a", "ab", "abc", "b", "\u{e4}"]))
            }
            let tags = ["x", "y", "z"].filter { _ in random.isOne(in: 2) }
            if !random.isOne(in: 5) {
                fields["tags"] = .list(.string, tags.map { .string($0) })
            }
            let target = RecordIdentifier("t\(random.below(3))", in: zone)
            if random.isOne(in: 2) { fields["to"] = .reference(RecordReference(target)) }
            let name = "r\(index)"
            all[name] = fields
            let changes = fields.mapValues { RecordChange.FieldChange($0) }
            #expect(try view.save(name, changes, type: "Item").code == nil)
        }
        return all
    }

    private func answer(_ query: RecordQuery, limit: Int? = nil) throws -> [Record] {
        var records: [Record] = []
        var mark: [UInt8]?
        repeat {
            let page = try view.query(query, in: CoreFixture.zone, after: mark, limit: limit)
            #expect(page.failures.isEmpty && page.records.count <= limit ?? 13)
            records += page.records
            mark = page.mark
        } while mark != nil
        return records
    }

    @Test("A query finds just the records that a look at all of them finds")
    func filters() throws {
        try define()
        let all = try fill(60)
        var random = TestRandom(seed: 12)
        for _ in 0..<150 {
            let filters = (0...random.below(2)).map { _ in random.filter() }
            let query = RecordQuery("Item", filters: filters)
            let expected = all.filter { _, fields in
                filters.allSatisfy { $0.isTrue(of: fields) }
            }
            let found = try answer(query).map(\.identifier.name)
            #expect(Set(found) == Set(expected.keys) && found.count == expected.count, "\(query)")
        }
    }

    @Test("An answer is in the order that was asked for, those without the field last")
    func sorts() throws {
        try define()
        let all = try fill(60)
        var random = TestRandom(seed: 13)
        for round in 0..<40 {
            let fields = ["number", "price", "title"].shuffled(using: &random)
                .prefix(1 + round % 2)
            let sorts = fields.map {
                RecordQuery.Sort($0, isAscending: random.isOne(in: 2))
            }
            let filters = random.isOne(in: 2) ? [random.filter()] : []
            let query = RecordQuery("Item", filters: filters, sorts: sorts)
            let found = try answer(query, limit: 1 + random.below(13)).map(\.identifier.name)
            let expected = all.filter { _, fields in filters.allSatisfy { $0.isTrue(of: fields) } }
            #expect(Set(found) == Set(expected.keys) && found.count == expected.count)
            for (one, other) in zip(found, found.dropFirst()) {
                #expect(!Self.isReversed(one, other, sorts, all), "\(query): \(one), \(other)")
            }
        }
    }

    /// Whether two records are in the wrong order.
    private static func isReversed(
        _ one: String, _ other: String, _ sorts: [RecordQuery.Sort],
        _ all: [String: [String: RecordValue]]
    ) -> Bool {
        for sort in sorts {
            let (first, second) = (all[one]?[sort.field], all[other]?[sort.field])
            if first == second { continue }
            guard let first, let second else { return first == nil }
            return sort.isAscending ? first.isAbove(second) : second.isAbove(first)
        }
        return false
    }

    @Test("Records are found by creator, by time, and by name")
    func systemFields() throws {
        try define()
        _ = try fill(10)
        let first = try view.record("r0").stamps.created.time
        let later = RecordQuery(
            "Item",
            filters: [.init("___createTime", .greaterThan, [.timestamp(first)])],
            sorts: [.init("___createTime", isAscending: false)])
        #expect(try answer(later).map(\.identifier.name) == (1..<10).reversed().map { "r\($0)" })
        let named = RecordQuery(
            "Item", filters: [.init("___recordID", .in, [.string("r3"), .string("r5")])])
        #expect(try Set(answer(named).map(\.identifier.name)) == ["r3", "r5"])
        #expect(try answer(RecordQuery("Item")).count == 10)
    }

    @Test("What the schema does not let a query ask is refused")
    func refusals() throws {
        try define()
        let filters: [RecordQuery.Filter] = [
            .init("secret", .equals, [.string("x")]), .init("hidden", .equals, [.string("x")]),
            .init("none", .equals, [.string("x")]), .init("number", .equals, [.string("x")]),
            .init("number", .equals, []), .init("tags", .equals, [.string("x")]),
            .init("title", .listContains, [.string("x")]),
        ]
        for filter in filters {
            expect(.invalidArguments) { try answer(RecordQuery("Item", filters: [filter])) }
        }
        for field in ["secret", "hidden", "tags", "none"] {
            expect(.invalidArguments) {
                try answer(RecordQuery("Item", sorts: [.init(field)]))
            }
        }
        expect(.unknownItem) { try answer(RecordQuery("Nothing")) }
    }

    @Test("A mark goes on with its own query alone")
    func marks() throws {
        try define()
        _ = try fill(30)
        let query = RecordQuery("Item")
        let mark = try #require(try view.query(query, in: CoreFixture.zone, limit: 3).mark)
        for index in mark.indices {
            var changed = mark
            changed[index] ^= 1
            expect(.invalidArguments) {
                try view.query(query, in: CoreFixture.zone, after: changed)
            }
        }
        let other = RecordQuery("Item", sorts: [.init("number")])
        expect(.invalidArguments) { try view.query(other, in: CoreFixture.zone, after: mark) }
        try view.deleteZone(CoreFixture.zone)
        try view.createZone(CoreFixture.zone)
        expect(.changeTokenExpired) { try view.query(query, in: CoreFixture.zone, after: mark) }
    }

    @Test("A sorted result goes on after its last record, even if that is deleted meanwhile")
    func deletedLast() throws {
        try define()
        for letter in ["a", "b", "c", "d", "e"] {
            let fields = ["title": RecordChange.FieldChange(.string(letter))]
            #expect(try view.save(letter, fields, type: "Item").code == nil)
        }
        let query = RecordQuery("Item", sorts: [.init("title")])
        var names: [String] = []
        var mark: [UInt8]?
        repeat {
            let page = try view.query(query, in: CoreFixture.zone, after: mark, limit: 2)
            names += page.records.map(\.identifier.name)
            mark = page.mark
            if let last = names.last, mark != nil { #expect(try view.delete(last).code == nil) }
        } while mark != nil
        #expect(names == ["a", "b", "c", "d", "e"])
    }

    @Test("A mark tells nothing of the record, or of the value, that it goes on behind")
    func silence() throws {
        try define()
        for letter in ["a", "b", "c"] {
            let fields = ["title": RecordChange.FieldChange(.string("title-\(letter)"))]
            #expect(try view.save("name-\(letter)", fields, type: "Item").code == nil)
        }
        for sorts in [[], [RecordQuery.Sort("title")]] {
            let query = RecordQuery("Item", sorts: sorts)
            let mark = try #require(try view.query(query, in: CoreFixture.zone, limit: 2).mark)
            for word in ["name-", "title-"] { #expect(!mark.contains(Array(word.utf8))) }
        }
    }

    @Test("A schema that gains an index finds by it what was saved before, in all zones")
    func laterIndex() throws {
        let other = try fixture.database(2)
        for view in [view, other] {
            _ = try view.save("a", ["hidden": .plain(.string("x"))], type: "Item")
        }
        let tag = try view.record("a").tag
        let text = Self.schema.replacing("hidden STRING", with: "hidden STRING QUERYABLE")
        try fixture.core.importSchema(Array(text.utf8), mayRemove: true)
        let query = RecordQuery(
            "Item", filters: [.init("hidden", .equals, [.string("x")])])
        #expect(try answer(query).map(\.identifier.name) == ["a"])
        #expect(try other.query(query, in: CoreFixture.zone).records.count == 1)
        #expect(try view.record("a").tag == tag)
    }

    @Test("A record that changes leaves the places where it was found")
    func updates() throws {
        try define()
        func numbered(_ number: Int64) throws -> [String] {
            let filter = RecordQuery.Filter("number", .equals, [.int64(number)])
            return try answer(RecordQuery("Item", filters: [filter])).map(\.identifier.name)
        }
        _ = try view.save("a", ["number": .plain(.int64(1))], type: "Item")
        _ = try view.save("a", ["number": .plain(.int64(2))], type: "Item")
        #expect(try numbered(1).isEmpty && numbered(2) == ["a"])
        _ = try view.delete("a")
        #expect(try numbered(2).isEmpty)
    }

    private func expect<R>(_ code: RecordError.Code, _ body: () throws -> R) {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == code)
    }
}

extension TestRandom {
    /// A random filter on one field of the tests' items.
    fileprivate mutating func filter() -> RecordQuery.Filter {
        typealias Comparator = RecordQuery.Comparator
        let scalar: [Comparator] = [
            .equals, .notEquals, .in, .notIn, .lessThan, .lessThanOrEquals, .greaterThan,
            .greaterThanOrEquals,
        ]
        switch below(5) {
        case 0:
            let comparator = pick(scalar)
            return .init("number", comparator, values(comparator) { .int64(Int64($0) - 4) })
        case 1:
            let comparator = pick(scalar)
            return .init("price", comparator, values(comparator) { .double(Double($0) / 2 - 2) })
        case 2:
            let comparator = pick(scalar + [.beginsWith, .notBeginsWith])
            let texts = ["", "a", "ab", "abc", "b", "c", "\u{e4}", "ac", "0"]
            return .init("title", comparator, values(comparator) { .string(texts[$0]) })
        case 3:
            let comparator = pick([
                Comparator.listContains, .notListContains, .listContainsAny, .listContainsAll,
                .notListContainsAny, .notListContainsAll,
            ])
            let one = comparator == .listContains || comparator == .notListContains
            let tags = ["x", "y", "z", "w"].shuffled(using: &self).prefix(one ? 1 : 2)
            return .init("tags", comparator, tags.map { .string($0) })
        default:
            return .init("to", pick([.equals, .notEquals]), [.string("t\(below(4))")])
        }
    }

    private mutating func values(
        _ comparator: RecordQuery.Comparator, _ value: (Int) -> RecordValue
    ) -> [RecordValue] {
        let count = comparator == .in || comparator == .notIn ? 3 : 1
        return (0..<count).map { _ in value(below(9)) }
    }
}

extension RecordQuery.Filter {
    /// Whether a record with these fields matches the filter, by a second implementation.
    fileprivate func isTrue(of fields: [String: RecordValue]) -> Bool {
        guard let value = fields[field] else { return false }
        let members = values.map { value.elements.contains($0) }
        return switch comparator {
        case .equals: value.isSame(values[0])
        case .notEquals: !value.isSame(values[0])
        case .in: values.contains(value)
        case .notIn: !values.contains(value)
        case .lessThan: values[0].isAbove(value)
        case .lessThanOrEquals: !value.isAbove(values[0])
        case .greaterThan: value.isAbove(values[0])
        case .greaterThanOrEquals: !values[0].isAbove(value)
        case .listContains: members[0]
        case .notListContains: !members[0]
        case .listContainsAny: members.contains(true)
        case .notListContainsAny: !members.contains(true)
        case .listContainsAll: !members.contains(false)
        case .notListContainsAll: members.contains(false)
        case .beginsWith: value.text.hasPrefix(values[0].text)
        case .notBeginsWith: !value.text.hasPrefix(values[0].text)
        case .listMemberBeginsWith, .notListMemberBeginsWith, .containsAllTokens,
            .containsAnyTokens, .near:
            false
        }
    }
}

extension RecordValue {
    fileprivate var text: String { if case .string(let text) = self { text } else { "" } }

    fileprivate func isSame(_ other: RecordValue) -> Bool {
        if case .reference(let reference) = self {
            reference.record.name == other.text
        } else {
            self == other
        }
    }

    /// Whether this value is greater than another, in the everyday sense.
    fileprivate func isAbove(_ other: RecordValue) -> Bool {
        switch (self, other) {
        case (.int64(let one), .int64(let two)): one > two
        case (.double(let one), .double(let two)): one > two
        case (.timestamp(let one), .timestamp(let two)): one > two
        case (.string(let one), .string(let two)): Array(one.utf8).isAbove(Array(two.utf8))
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate func isAbove(_ other: [UInt8]) -> Bool { other.lexicographicallyPrecedes(self) }
}
