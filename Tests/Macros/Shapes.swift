// Shapes of models that the macros must accept, and queries on them. The compiler must report
// nothing here, in Swift 6 mode, with strict memory safety, and with the main actor as default.
import Bulla
public import BullaObjects
import Foundation

public enum Rank: Int, Storable, Sendable { case plain, gold }

@Embedded public struct Place: Hashable, Sendable {
    public var street: String
    public var lines: [String] = []

    public init(street: String) { self.street = street }
}

@Model public struct House: Hashable {
    @Key public var id = UUID()
    /// No two houses have the same name.
    @Unique public var name: String
    @Backlinks(\Person.house) public var people: Backlinks<Person>

    public init(name: String) { self.name = name }
}

// House and Person refer to each other, and Person also to itself.
@Model public struct Person: Hashable {
    @Key public var number: Int
    @Indexed public var name: String  // a comment behind it
    public var age = 0
    public var joined: Date = .now
    public var tags: Set<String> = []
    public var marks: [String: Double] = [:]
    public var home: Place?
    public var rank = Rank.plain
    public var house: Link<House>?
    @OnDelete(.cascade) public var boss: Link<Person>?
    @OnDelete(.nullify) public var friends: [Link<Person>] = []
    @Transient public var isShown = true
    #Index(\Person.house, \Person.joined)
    #Index(\Person.name, \Person.age, isUnique: true)

    public var title: String { "\(rank) \(name)" }
    public static let limit = 7

    public init(number: Int, name: String) { (self.number, self.name) = (number, name) }
}

enum Nested {
    enum Inner {
        @Model struct Deep {
            @Key var id: Int
            var rank: Rank?
            let constant: Int
        }
    }

    /// A renamed model, with a compound key and a renamed property.
    @Model @Renamed(from: "Village") fileprivate struct City {
        @Key var country: String
        @Key var number: Int
        @Renamed(from: "label") var title: String
    }
}

@Model private struct Odd {
    @Key var key: String
    @Key var `default`: Int
    var stored = 1
    var draft = 2
    var columns = 3
    var modelDefinition = "d"
    var watched = 1 {
        didSet { stored = 2 }
    }
}

typealias DeepLink<Value> = [Value]

enum Shown: Int, Storable { case yes }

/// Some of its properties are less visible than the model, and one links to the model itself.
@Model public struct Mixed {
    @Key public var id: Int
    var shown: Shown
    private enum State: Int, Storable { case new }
    private var state: State = .new
    fileprivate var parent: Link<Self>?
    public private(set) var count = 0
    var deep: DeepLink<Int> = []
    #if DEBUG
    var computed: Int { 1 }
    static let shared = 1
    #endif
    #Index(\Mixed.count, isUnique: false)
}

@Model public struct Member {
    @Key public var number: Int
    @Sealed(in: "pins", history: 2) var pin = Sealed<String>()
    @Sealed(in: "pins") fileprivate var note: Sealed<[String]>
}

@Model(sealedIn: "logins") struct Login {
    @Key var id = UUID()
    @Clear @Indexed var site: String
    @Clear @OnDelete(.cascade) var owner: Link<Member>?
    var user: String
    var notes: [String] = []
    @Sealed(history: 10) var password: Sealed<Secret>
    @Transient var isShown = false
}

func sealed(_ snapshot: borrowing ObjectSnapshot, _ id: UUID) throws -> [Sealed<Secret>] {
    let login: SealedObject<Login>? = try snapshot.fetch(Login.self, key: id)
    let same = try snapshot.fetch(Login.self, key: id)
    let opened: Login? = try snapshot.fetch(Login.self, key: id)
    _ = (try login?.site, try same?.open().user, opened?.notes)
    _ = try snapshot.fetch(Login.where { $0.site == "Ur" && $0.owner.number == 1 }).map { try $0.key }
    return try snapshot.history(Login.self, key: id, of: \.password)
}

nonisolated struct Palette: Codable, Hashable {
    var colors: [String] = []
}

@Model public struct Painted: Hashable {
    @Key public var id: Int
    @Coded var palette = Palette()
    @Coded var other: Palette?
    @Coded fileprivate var all: [Palette]
    @Coded var named: [String: Palette]? = nil
}

@Model(sealedIn: "v") struct Hidden: Hashable {
    @Key var id: Int
    @Coded var palette: Palette
    @Coded @Renamed(from: "another") var other: Palette?
}

@available(*, deprecated) @Model struct Old {
    @Key var id: Int
}

func queries() {
    _ = Person.where { $0.age > 3 && $0.house.name == "Ur" || $0.tags.contains("poet") }
    _ = Person.where { $0.boss.house.name == nil }.sorted(by: \.joined, order: .descending).limit(3)
    _ = Person.where { $0.friends.any { $0.rank == .gold } && $0.friends.count > 1 }
    _ = House.where { $0.people.count > 3 && $0.people.none { $0.home.street == "Gate" } }
    _ = Mixed.where { $0.parent.count > 1 && $0.shown == .yes && $0.deep.contains(1) }
    _ = Nested.City.where { $0.country == "Sumer" }
    _ = Nested.Inner.Deep.where { $0.rank == .gold }
    _ = Odd.where { $0.default == 1 && $0.modelDefinition == "d" }
    _ = Person.where { $0.tags.any { $0.hasPrefix("p") && $0 != "pot" } }
}
