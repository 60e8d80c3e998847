#if Objects
import BullaObjects
import BullaTestSupport
import FoundationEssentials

extension TestRandom {
    /// One of a few words, some of which begin alike.
    ///
    /// Each letter is composed in only one way, because Swift's `==` compares characters, whereas
    /// the store compares bytes.
    mutating func word() -> String {
        pick(["", "ur", "Ur", "uruk", "lagash", "la\u{e9}", "nippur"])
    }
    mutating func words() -> [String] { (0..<below(3)).map { _ in word() } }
    mutating func maybe<T>(_ value: (inout TestRandom) -> T) -> T? {
        isOne(in: 3) ? nil : value(&self)
    }
    mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: Double(below(12)) * 0.5) }
    mutating func id() -> UUID {
        UUID(
            uuid: (UInt8(below(8)), 0, 0, UInt8(below(2)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    }
    mutating func decimal() -> Decimal { Decimal(below(40) - 10) / 4 }
    mutating func data() -> Data { Data((0..<below(4)).map { _ in UInt8(below(3)) }) }
    mutating func home() -> Town.Home {
        Town.Home(street: word(), number: Int16(below(4)), notes: words())
    }
}

extension Town.Guild: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<UUID> { ModelKey(random.id()) }

    static func draw(
        _ key: ModelKey<UUID>, _ world: World, _ random: inout TestRandom
    ) -> Self {
        Self(
            id: key.values, name: random.word() + "\(random.below(9))",
            motto: random.maybe { $0.word() }, founded: random.date())
    }

    static func touch(_ object: inout Self) { object.motto = object.motto == nil ? "ur" : nil }

    static var uniques: [@Sendable (Self) -> AnyHashable?] { [{ $0.name }] }

    static var orders: [WorldOrder<Self>] {
        [.by(\.founded) { $0.founded }, .by(\.motto) { $0.motto.map { Bytes($0) } }]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, count, date) = (random.word(), random.below(3), random.date())
        switch random.below(7) {
        case 0:
            return Asked("name begins with \(word)", { $0.name.hasPrefix(word) }) {
                $0.name.utf8.starts(with: word.utf8)
            }
        case 1:
            return Asked("motto is \(word)", { $0.motto == word }) { $0.motto == word }
        case 2:
            return Asked("motto is not \(word)", { $0.motto != word }) { $0.motto != word }
        case 3:
            return Asked("founded since \(date)", { $0.founded >= date }) { $0.founded >= date }
        case 4:
            return Asked("smiths more than \(count)", { $0.smiths.count > count }) { guild in
                world.objects(Town.Smith.self).count { $0.guild == Link(guild) } > count
            }
        case 5:
            return Asked("no master among its smiths", { $0.smiths.none { $0.rank == .master } }) {
                guild in
                !world.objects(Town.Smith.self).contains {
                    $0.guild == Link(guild) && $0.rank == .master
                }
            }
        default:
            return Asked("all teams green", { $0.teams.all { $0.color == .green } }) { guild in
                world.objects(Town.Team.self).allSatisfy {
                    $0.guild != Link(guild) || $0.color == .green
                }
            }
        }
    }
}

extension Town.Smith: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Int> {
        ModelKey(random.below(60) - 20)
    }

    static func draw(_ key: ModelKey<Int>, _ world: World, _ random: inout TestRandom) -> Self {
        Self(
            number: key.values, name: random.word(), age: Int8(random.below(40) - 20),
            skill: random.maybe { Double($0.below(9)) / 4 }, tags: random.words(),
            home: random.maybe { $0.home() }, rank: random.pick(Town.Rank.allCases),
            guild: world.drawLink(&random), master: world.drawLink(&random))
    }

    static func touch(_ object: inout Self) { object.tags.append("touched") }

    static var links: [WorldLink<Self>] { [.optional(\.guild), .optional(\.master, .cascade)] }

    static var orders: [WorldOrder<Self>] {
        [
            .by(\.age) { $0.age }, .by(\.skill) { $0.skill }, .by(\.name) { Bytes($0.name) },
            .by(\.rank) { $0.rank.rawValue },
        ]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, age, skill) = (random.word(), Int8(random.below(40) - 20), random.below(9))
        let guild: Link<Town.Guild> = world.drawLink(&random)
        let level = Double(skill) / 4
        switch random.below(17) {
        case 0:
            return Asked("age is \(age)", { $0.age == age }) { $0.age == age }
        case 1:
            return Asked("age below \(age)", { $0.age < age }) { $0.age < age }
        case 2:
            return Asked("age in a range", { $0.age.isIn(age..<age + 9) }) {
                (age..<age + 9) ~= $0.age
            }
        case 3:
            return Asked("skill at most \(level)", { $0.skill <= level }) {
                $0.skill.map { $0 <= level } ?? false
            }
        case 4:
            return Asked("name is \(word)", { $0.name == word }) { $0.name == word }
        case 5:
            return Asked("name has \(word)", { $0.name.containsIgnoringCase(word) }) {
                word.isEmpty || $0.name.lowercased().contains(word.lowercased())
            }
        case 6:
            return Asked("tagged \(word)", { $0.tags.contains(word) }) { $0.tags.contains(word) }
        case 7:
            return Asked("two tags", { $0.tags.count == 2 }) { $0.tags.count == 2 }
        case 8:
            return Asked("home in \(word)", { $0.home.street == word }) { $0.home?.street == word }
        case 9:
            return Asked("no home", { $0.home.street == nil }) { $0.home == nil }
        case 10:
            return Asked("of a guild", { $0.guild == guild }) { $0.guild == guild }
        case 11:
            return Asked("of no guild", { $0.guild == nil }) { $0.guild == nil }
        case 12:
            return Asked("the guild's motto is \(word)", { $0.guild.motto == word }) {
                world.object($0.guild)?.motto == word
            }
        case 13:
            return Asked("the master's guild", { $0.master.guild.name.hasPrefix(word) }) {
                let name = world.object(world.object($0.master)?.guild)?.name
                return name?.utf8.starts(with: word.utf8) ?? false
            }
        case 14:
            return Asked("less than itself", { $0.age.isLess(than: $0.age) }) { _ in false }
        case 15:
            return Asked("apprentices", { $0.apprentices.any { $0.age < age } }) { smith in
                world.objects(Town.Smith.self).contains {
                    $0.master == Link(smith) && $0.age < age
                }
            }
        default:
            return Asked("written of", { $0.notes.count >= 1 }) { smith in
                world.objects(Town.Note.self).contains { $0.about.contains(Link(smith)) }
            }
        }
    }
}

extension Town.Tool: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<String> {
        ModelKey(random.word() + "\(random.below(12))")
    }

    static func draw(_ key: ModelKey<String>, _ world: World, _ random: inout TestRandom) -> Self {
        Self(
            code: key.values, owner: world.drawLink(&random), price: random.decimal(),
            weight: Float(random.below(8)) / 8, isSharp: random.isOne(in: 2), mark: random.data())
    }

    static func touch(_ object: inout Self) { object.isSharp.toggle() }

    static var links: [WorldLink<Self>] { [.one(\.owner, .cascade)] }

    static var orders: [WorldOrder<Self>] {
        [
            .by(\.price) { $0.price }, .by(\.weight) { $0.weight },
            .by(\.isSharp) { $0.isSharp ? 1 : 0 }, .by(\.mark) { Bytes($0.mark) },
        ]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (price, data, word) = (random.decimal(), random.data(), random.word())
        let owner: Link<Town.Smith> = world.drawLink(&random)
        switch random.below(9) {
        case 0:
            return Asked("price above \(price)", { $0.price > price }) { $0.price > price }
        case 1:
            return Asked("price is one of two", { $0.price.isIn([price, 0]) }) {
                $0.price == price || $0.price == 0
            }
        case 2:
            return Asked("sharp", { $0.isSharp == true }) { $0.isSharp }
        case 3:
            return Asked("mark begins", { $0.mark.hasPrefix(data) }) { $0.mark.starts(with: data) }
        case 4:
            return Asked("mark has", { $0.mark.contains(data) }) { tool in
                data.isEmpty || tool.mark.firstRange(of: data) != nil
            }
        case 5:
            return Asked("owned", { $0.owner == owner }) { $0.owner == owner }
        case 6:
            return Asked("not owned", { $0.owner != owner }) { $0.owner != owner }
        case 7:
            return Asked("the owner is \(word)", { $0.owner.name == word }) {
                world.object($0.owner)?.name == word
            }
        default:
            return Asked("the owner's home", { $0.owner.home.street == word }) {
                world.object($0.owner)?.home?.street == word
            }
        }
    }
}

extension Town.Note: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Int64> {
        ModelKey(Int64(random.below(40)) << Int64(random.below(3) * 20))
    }

    static func draw(_ key: ModelKey<Int64>, _ world: World, _ random: inout TestRandom) -> Self {
        Self(
            id: key.values, text: random.word(),
            pages: (0..<random.below(3)).map { _ in random.data() },
            homes: (0..<random.below(3)).map { _ in random.home() },
            about: world.drawLinks(&random))
    }

    static func touch(_ object: inout Self) { object.pages.append(Data([7])) }

    static var links: [WorldLink<Self>] { [.list(\.about, .cascade)] }

    static var orders: [WorldOrder<Self>] { [.by(\.text) { Bytes($0.text) }] }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, data) = (random.word(), random.data())
        let smith: Link<Town.Smith> = world.drawLink(&random)
        switch random.below(7) {
        case 0:
            return Asked("about a smith", { $0.about.contains(smith) }) { $0.about.contains(smith) }
        case 1:
            return Asked("about a master", { $0.about.any { $0.rank == .master } }) {
                $0.about.contains { world.object($0)?.rank == .master }
            }
        case 2:
            return Asked("about none of the name", { $0.about.none { $0.name == word } }) {
                !$0.about.contains { world.object($0)?.name == word }
            }
        case 3:
            return Asked("about apprentices alone", { $0.about.all { $0.rank == .apprentice } }) {
                $0.about.allSatisfy { world.object($0)?.rank == .apprentice }
            }
        case 4:
            return Asked("homes in \(word)", { $0.homes.any { $0.street == word } }) {
                $0.homes.contains { $0.street == word }
            }
        case 5:
            return Asked("homes with notes", { $0.homes.all { $0.notes.count > 0 } }) {
                $0.homes.allSatisfy { !$0.notes.isEmpty }
            }
        default:
            return Asked("a page", { $0.pages.contains(data) }) { $0.pages.contains(data) }
        }
    }
}

extension Town.Event: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Date> {
        ModelKey(Date(timeIntervalSinceReferenceDate: Double(random.below(60)) - 30))
    }

    static func draw(_ key: ModelKey<Date>, _ world: World, _ random: inout TestRandom) -> Self {
        Self(
            at: key.values, color: random.pick(Town.Color.allCases), tags: random.words(),
            smith: world.drawLink(&random))
    }

    static func touch(_ object: inout Self) { object.tags = [] }

    static var links: [WorldLink<Self>] { [.one(\.smith)] }

    static var orders: [WorldOrder<Self>] {
        [.by(\.at) { $0.at }, .by(\.color) { Bytes($0.color.rawValue) }]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, color) = (random.word(), random.pick(Town.Color.allCases))
        let date = Date(timeIntervalSinceReferenceDate: Double(random.below(60)) - 30)
        switch random.below(5) {
        case 0:
            return Asked("colored", { $0.color == color }) { $0.color == color }
        case 1:
            return Asked("not colored", { $0.color != color }) { $0.color != color }
        case 2:
            return Asked("tagged", { $0.tags.contains(word) }) { $0.tags.contains(word) }
        case 3:
            return Asked("before", { $0.at < date }) { $0.at < date }
        default:
            return Asked("the smith's guild", { $0.smith.guild.name == word }) {
                world.object(world.object($0.smith)?.guild)?.name == word
            }
        }
    }
}

extension Town.Team: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<String> {
        ModelKey("team \(random.below(30))")
    }

    static func draw(_ key: ModelKey<String>, _ world: World, _ random: inout TestRandom) -> Self {
        var scores: [String: Double] = [:]
        for _ in 0..<random.below(3) { scores[random.word()] = Double(random.below(5)) }
        return Self(
            name: key.values, leader: world.drawLink(&random), members: world.drawLinks(&random),
            guild: world.drawLink(&random), scores: scores, number: random.below(9),
            color: random.pick(Town.Color.allCases))
    }

    static func touch(_ object: inout Self) { object.scores["touched"] = 1 }

    static var links: [WorldLink<Self>] {
        [.optional(\.leader, .deny), .list(\.members), .optional(\.guild, .cascade)]
    }

    static var uniques: [@Sendable (Self) -> AnyHashable?] { [{ "\($0.number) \($0.color)" }] }

    static var orders: [WorldOrder<Self>] {
        [.by(\.number) { $0.number }, .by(\.color) { Bytes($0.color.rawValue) }]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, number) = (random.word(), random.below(9))
        let smith: Link<Town.Smith> = world.drawLink(&random)
        switch random.below(7) {
        case 0:
            return Asked("a score", { $0.scores.has(2, forKey: word) }) { $0.scores[word] == 2 }
        case 1:
            return Asked("any score", { $0.scores.hasKey(word) }) { $0.scores[word] != nil }
        case 2:
            return Asked("a member", { $0.members.contains(smith) }) { $0.members.contains(smith) }
        case 3:
            return Asked("members", { $0.members.count < 2 }) { $0.members.count < 2 }
        case 4:
            return Asked("led", { $0.leader == smith }) { $0.leader == smith }
        case 5:
            return Asked("led by the old", { $0.leader.age > 5 }) {
                world.object($0.leader).map { $0.age > 5 } ?? false
            }
        default:
            return Asked("number \(number)", { $0.number == number || $0.number == 1 }) {
                $0.number == number || $0.number == 1
            }
        }
    }
}
#endif
