#if Objects
import BullaObjects
import FoundationEssentials

/// Twelve models that together have every type of property, every kind of key, index and link, and
/// every delete rule.
enum Town {
    enum Rank: Int, Storable, CaseIterable { case apprentice, journeyman, master }
    enum Color: String, Storable, CaseIterable { case red, green, blue }

    @Embedded struct Home: Hashable {
        var street: String
        var number: Int16 = 1
        var notes: [String] = []
    }

    @Model struct Guild: Hashable {
        @Key var id: UUID
        @Unique var name: String
        var motto: String?
        var founded: Date
        @Backlinks(\Smith.guild) var smiths: Backlinks<Smith>
        @Backlinks(\Team.guild) var teams: Backlinks<Team>
    }

    @Model struct Smith: Hashable {
        @Key var number: Int
        @Indexed var name: String
        var age: Int8
        var skill: Double?
        var tags: [String]
        var home: Home?
        var rank: Rank
        var guild: Link<Guild>?
        @OnDelete(.cascade) var master: Link<Smith>?
        @Backlinks(\Smith.master) var apprentices: Backlinks<Smith>
        @Backlinks(\Note.about) var notes: Backlinks<Note>
        #Index(\Smith.guild, \Smith.age)
    }

    @Model struct Tool: Hashable {
        @Key var code: String
        @OnDelete(.cascade) var owner: Link<Smith>
        @Indexed var price: Decimal
        var weight: Float
        var isSharp: Bool
        var mark: Data
    }

    @Model struct Place: Hashable {
        @Key var country: String
        @Key var number: UInt16
        var title: String
        var sizes: Set<Int>
        @Unique var code: UInt64?
    }

    @Model struct Journey: Hashable {
        @Key var day: Date
        @Key var leg: Int32
        @OnDelete(.deny) var start: Link<Place>?
        @OnDelete(.nullify) var end: Link<Place>?
        @OnDelete(.nullify) var stops: [Link<Place>]
        var marks: [String: Int]
    }

    @Model struct Note: Hashable {
        @Key var id: Int64
        var text: String
        var pages: [Data]
        var homes: [Home]
        @OnDelete(.cascade) var about: [Link<Smith>]
    }

    @Model struct Price: Hashable {
        @Key var amount: Decimal
        var label: String?
        var colors: Set<Color>
        #Index(\Price.label, \Price.amount)
    }

    @Model struct Blob: Hashable {
        @Key var hash: Data
        @Indexed var size: UInt
        var homes: [String: Home]
    }

    @Model struct Event: Hashable {
        @Key var at: Date
        @Indexed var color: Color
        @Indexed var tags: [String]
        var smith: Link<Smith>
    }

    @Model struct Pair: Hashable {
        @Key var isLeft: Bool
        @Key var number: Int
        @Key var id: UUID
        var one: Double
        var other: Double
        #Index(\Pair.one, \Pair.other)
    }

    @Model struct Team: Hashable {
        @Key var name: String
        @OnDelete(.deny) var leader: Link<Smith>?
        @OnDelete(.nullify) var members: [Link<Smith>]
        @OnDelete(.cascade) var guild: Link<Guild>?
        var scores: [String: Double]
        var number: Int
        var color: Color
        #Index(\Team.number, \Team.color, isUnique: true)
    }

    @Model struct Maybe: Hashable {
        @Key var rank: Rank
        @Key var level: UInt8
        @Indexed var flag: Bool?
        var count: Int?
        @Indexed var moment: Date?
        var id: UUID?
        var bytes: Data?
        @Indexed var amount: Decimal?
        var color: Color?
        var text: String?
    }
}
#endif
