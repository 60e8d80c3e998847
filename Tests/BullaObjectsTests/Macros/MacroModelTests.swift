#if Objects
import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

/// Models as people write them, with comments, defaults, nesting, and odd names.
enum Firm {
    enum Rank: Int, Storable { case plain, gold }

    @Embedded struct Place: Hashable {
        var street: String
        var lines: [String] = []
    }

    @Model struct House: Hashable {
        @Key var id = UUID()
        /// No two houses have the same name.
        @Unique var name: String
        @Backlinks(\Person.house) var people: Backlinks<Person>
    }

    @Model struct Person: Hashable {
        @Key var number: Int
        @Indexed var name: String  // as the tablets have it
        var age = 0
        var joined: Date = .distantPast
        var tags: [String] = []
        var home: Place?
        var rank = Rank.plain
        var house: Link<House>?
        @OnDelete(.cascade) var boss: Link<Person>?
        @Transient var isShown = true
        var factor = -1.5
        #Index(\Person.house, \Person.joined)

        /// Computed, so it is not stored.
        var title: String { "\(rank) \(name)" }
        static let limit = 7
        var watched = 1 {
            didSet { isShown = false }
        }
    }

    struct Palette: Codable, Hashable {
        var colors: [String] = []
        var weight = 0.1
        var seen: Date?
    }

    @Model struct Painting: Hashable {
        @Key var id: Int
        @Coded var palette = Palette()
        @Coded var other: Palette?
        @Coded var all: [String: Palette]
    }

    /// Its properties have names that generated code may use for its own variables.
    @Model fileprivate struct Odd: Hashable {
        @Key var key: String
        @Key var `default`: Int
        var stored = 1
        var draft = 2
        var columns = 3
        var definition = "d"
        var parts: Set<Int> = []
        let constant: Int

        static func make() -> Odd { Odd(key: "k", default: 4, parts: [1], constant: 9) }
    }

    static func roundTripOfOdd(_ path: String, _ key: StoreKey?) throws -> Bool {
        let database = try ObjectDatabase.open(at: path, key: key, models: Odd.self)
        let odd = Odd.make()
        try database.write { try $0.insert(odd) }
        let found = try database.read { try $0.fetch(Odd.self, key: ModelKey("k", 4)) }
        let count = try database.read { try $0.count(of: Odd.where { $0.`default` == 4 }) }
        return found == odd && count == 1
    }
}

@Suite struct `Models that macros write` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `are stored, found and linked as those written by hand`() throws {
        let database = try ObjectDatabase.open(
            at: scratch.path("firm.bulla"), key: StoreKind.gcm.key(), models: Firm.House.self,
            Firm.Person.self)
        let house = Firm.House(name: "Ur")
        var person = Firm.Person(number: 7, name: "Enheduanna", house: Link(house))
        person.home = Firm.Place(street: "Gate", lines: ["a"])
        try database.write { [person] transaction in
            try transaction.insert(house)
            try transaction.insert(person)
            try transaction.insert(Firm.Person(number: 8, name: "Adda", boss: Link(person)))
        }
        try database.read { snapshot in
            let found = try snapshot.fetch(Firm.Person.self, key: 7)
            #expect(found == person)
            let query = Firm.Person.where {
                $0.house.name == "Ur" && $0.home.street == "Gate" && $0.rank != .gold
            }
            #expect(try snapshot.fetch(query).map(\.number) == [7])
            #expect(try snapshot.fetch(house.people.query).map(\.name) == ["Enheduanna"])
            #expect(try snapshot.count(of: Firm.House.where { $0.people.count == 1 }) == 1)
            let plan = try snapshot.explain(Firm.Person.where { $0.name == "Adda" })
            #expect(plan.contains("the index of Person.name"))
        }
        // The delete rule was stored, too.
        let count = try database.write { try $0.delete(Firm.Person.where { $0.number == 7 }) }
        #expect(count == 2)
        let schema = try #require(database.schema.model(named: "Person"))
        #expect(
            schema.properties.map(\.name) == [
                "number", "name", "age", "joined", "tags", "home", "rank", "house", "boss",
                "factor", "watched",
            ])
    }

    @Test func `have values in JSON, which come back as they were`() throws {
        let database = try ObjectDatabase.open(
            at: scratch.path("painted.bulla"), key: StoreKind.gcm.key(), models: Firm.Painting.self)
        let palette = Firm.Palette(
            colors: ["red"], weight: 1e-7 / 3, seen: Date(timeIntervalSinceReferenceDate: 0.1))
        let painting = Firm.Painting(
            id: 1, palette: palette, all: ["x": palette, "": Firm.Palette()])
        try database.write { transaction in
            try transaction.insert(painting)
            try transaction.insert(Firm.Painting(id: 2, other: palette, all: [:]))
        }
        try database.read { snapshot in
            let found = try snapshot.fetch(Firm.Painting.self, key: 1)
            #expect(found == painting)
            let keys = try snapshot.keys(of: Firm.Painting.where { !$0.other.isNil() })
            #expect(keys == [ModelKey(2)])
        }
        let infinite = Firm.Painting(id: 3, palette: Firm.Palette(weight: .infinity), all: [:])
        try database.write { try $0.insert(infinite) }
        let found = try database.read { try $0.fetch(Firm.Painting.self, key: 3) }
        #expect(found == infinite)
    }

    @Test func `may be private, and call their properties what they like`() throws {
        #expect(try Firm.roundTripOfOdd(scratch.path("odd.bulla"), StoreKind.gcm.key()))
    }
}
#endif
