#if Objects
import BullaObjects
import BullaTestSupport
import FoundationEssentials

/// Bytes in the order in which a store sorts texts and data: compared one by one.
struct Bytes: Comparable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    init(_ data: Data) { bytes = Array(data) }

    static func < (one: Bytes, other: Bytes) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

extension Town.Place: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<String, UInt16> {
        ModelKey(random.word(), UInt16(random.below(6) * 300))
    }

    static func draw(
        _ key: ModelKey<String, UInt16>, _ world: World, _ random: inout TestRandom
    ) -> Self {
        Self(
            country: key.values.0, number: key.values.1, title: random.word(),
            sizes: Set((0..<random.below(4)).map { _ in random.below(5) }),
            code: random.maybe { UInt64.max - UInt64($0.below(30)) })
    }

    static func touch(_ object: inout Self) { object.sizes.insert(9) }

    static var uniques: [@Sendable (Self) -> AnyHashable?] { [{ $0.code.map { AnyHashable($0) } }] }

    static var orders: [WorldOrder<Self>] {
        [
            .by(\.country) { Bytes($0.country) }, .by(\.number) { $0.number },
            .by(\.code) { $0.code },
        ]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, size) = (random.word(), random.below(5))
        let code = UInt64.max - UInt64(random.below(30))
        switch random.below(7) {
        case 0:
            return Asked("in \(word)", { $0.country == word }) { $0.country == word }
        case 1:
            return Asked("number below", { $0.number < 600 }) { $0.number < 600 }
        case 2:
            return Asked("the size \(size)", { $0.sizes.contains(size) }) {
                $0.sizes.contains(size)
            }
        case 3:
            return Asked("sizes", { $0.sizes.count >= 2 }) { $0.sizes.count >= 2 }
        case 4:
            return Asked("code at least", { $0.code >= code }) {
                $0.code.map { $0 >= code } ?? false
            }
        case 5:
            return Asked("code is", { $0.code == code }) { $0.code == code }
        default:
            return Asked("titled as its country", { $0.title.equals($0.country) }) {
                $0.title == $0.country
            }
        }
    }
}

extension Town.Journey: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Date, Int32> {
        ModelKey(random.date(), Int32(random.below(5) - 2))
    }

    static func draw(
        _ key: ModelKey<Date, Int32>, _ world: World, _ random: inout TestRandom
    ) -> Self {
        var marks: [String: Int] = [:]
        for _ in 0..<random.below(3) { marks[random.word()] = random.below(4) }
        return Self(
            day: key.values.0, leg: key.values.1, start: world.drawLink(&random),
            end: world.drawLink(&random), stops: world.drawLinks(&random), marks: marks)
    }

    static func touch(_ object: inout Self) { object.marks["touched", default: 0] += 1 }

    static var links: [WorldLink<Self>] {
        [.optional(\.start, .deny), .optional(\.end), .list(\.stops)]
    }

    static var orders: [WorldOrder<Self>] { [.by(\.leg) { $0.leg }, .by(\.day) { $0.day }] }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, date) = (random.word(), random.date())
        let place: Link<Town.Place> = world.drawLink(&random)
        switch random.below(6) {
        case 0:
            return Asked("on a day", { $0.day == date }) { $0.day == date }
        case 1:
            return Asked("from a place", { $0.start == place }) { $0.start == place }
        case 2:
            return Asked("to its start", { $0.start.equals($0.end) }) { $0.start == $0.end }
        case 3:
            return Asked("over a place", { $0.stops.contains(place) }) { $0.stops.contains(place) }
        case 4:
            return Asked("over a country", { $0.stops.any { $0.country == word } }) {
                $0.stops.contains { world.object($0)?.country == word }
            }
        default:
            return Asked("marked", { $0.marks.has(1, forKey: word) }) { $0.marks[word] == 1 }
        }
    }
}

extension Town.Price: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Decimal> {
        ModelKey(random.decimal())
    }

    static func draw(
        _ key: ModelKey<Decimal>, _ world: World, _ random: inout TestRandom
    ) -> Self {
        Self(
            amount: key.values, label: random.maybe { $0.word() },
            colors: Set((0..<random.below(3)).map { _ in random.pick(Town.Color.allCases) }))
    }

    static func touch(_ object: inout Self) { object.colors = [.red] }

    static var orders: [WorldOrder<Self>] {
        [.by(\.amount) { $0.amount }, .by(\.label) { $0.label.map { Bytes($0) } }]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (word, amount, color) = (
            random.word(), random.decimal(), random.pick(Town.Color.allCases)
        )
        switch random.below(5) {
        case 0:
            return Asked("amount at least", { $0.amount >= amount }) { $0.amount >= amount }
        case 1:
            return Asked("label", { $0.label == word && $0.amount < amount }) {
                $0.label == word && $0.amount < amount
            }
        case 2:
            return Asked("no label", { $0.label == nil }) { $0.label == nil }
        case 3:
            return Asked("label begins", { $0.label.hasPrefix(word) }) {
                $0.label?.utf8.starts(with: word.utf8) ?? false
            }
        default:
            return Asked("colored", { $0.colors.contains(color) }) { $0.colors.contains(color) }
        }
    }
}

extension Town.Blob: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Data> { ModelKey(random.data()) }

    static func draw(_ key: ModelKey<Data>, _ world: World, _ random: inout TestRandom) -> Self {
        var homes: [String: Town.Home] = [:]
        for _ in 0..<random.below(3) { homes[random.word()] = random.home() }
        return Self(hash: key.values, size: UInt(random.below(9)) << 60, homes: homes)
    }

    static func touch(_ object: inout Self) { object.homes["touched"] = Town.Home(street: "t") }

    static var orders: [WorldOrder<Self>] {
        [.by(\.size) { $0.size }, .by(\.hash) { Bytes($0.hash) }]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (size, word, data) = (UInt(random.below(9)) << 60, random.word(), random.data())
        switch random.below(3) {
        case 0:
            return Asked("larger", { $0.size > size }) { $0.size > size }
        case 1:
            return Asked("hash begins", { $0.hash.hasPrefix(data) }) { $0.hash.starts(with: data) }
        default:
            return Asked("a home", { $0.homes.hasKey(word) }) { $0.homes[word] != nil }
        }
    }
}

extension Town.Pair: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Bool, Int, UUID> {
        ModelKey(random.isOne(in: 2), random.below(5), random.id())
    }

    static func draw(
        _ key: ModelKey<Bool, Int, UUID>, _ world: World, _ random: inout TestRandom
    ) -> Self {
        Self(
            isLeft: key.values.0, number: key.values.1, id: key.values.2,
            one: Double(random.below(5)), other: random.isOne(in: 9) ? .infinity : -0.0)
    }

    static func touch(_ object: inout Self) { object.other = 3 }

    static var orders: [WorldOrder<Self>] {
        [.by(\.one) { $0.one }, .by(\.other) { $0.other }, .by(\.number) { $0.number }]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (one, number, id) = (Double(random.below(5)), random.below(5), random.id())
        switch random.below(4) {
        case 0:
            return Asked("left", { $0.isLeft == true && $0.number >= number }) {
                $0.isLeft && $0.number >= number
            }
        case 1:
            return Asked("one is", { $0.one == one && $0.other <= 0.0 }) {
                $0.one == one && $0.other <= 0
            }
        case 2:
            return Asked("id", { $0.id == id }) { $0.id == id }
        default:
            return Asked("one below the other", { $0.one.isLess(than: $0.other) }) {
                $0.one < $0.other
            }
        }
    }
}

extension Town.Maybe: WorldModel {
    static func drawKey(_ random: inout TestRandom) -> ModelKey<Town.Rank, UInt8> {
        ModelKey(random.pick(Town.Rank.allCases), UInt8(random.below(20) * 12))
    }

    static func draw(
        _ key: ModelKey<Town.Rank, UInt8>, _ world: World, _ random: inout TestRandom
    ) -> Self {
        Self(
            rank: key.values.0, level: key.values.1, flag: random.maybe { $0.isOne(in: 2) },
            count: random.maybe { $0.below(6) - 3 }, moment: random.maybe { $0.date() },
            id: random.maybe { $0.id() }, bytes: random.maybe { $0.data() },
            amount: random.maybe { $0.decimal() },
            color: random.maybe { $0.pick(Town.Color.allCases) },
            text: random.maybe { $0.word() })
    }

    static func touch(_ object: inout Self) { object.count = nil }

    static var orders: [WorldOrder<Self>] {
        [
            .by(\.flag) { $0.flag.map { $0 ? 1 : 0 } }, .by(\.count) { $0.count },
            .by(\.moment) { $0.moment }, .by(\.amount) { $0.amount },
            .by(\.bytes) { $0.bytes.map { Bytes($0) } }, .by(\.id) { $0.id?.uuidString },
        ]
    }

    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self> {
        let (count, date, amount) = (random.below(6) - 3, random.date(), random.decimal())
        let (word, color, data) = (random.word(), random.pick(Town.Color.allCases), random.data())
        switch random.below(11) {
        case 0:
            return Asked("flagged", { $0.flag == true }) { $0.flag == true }
        case 1:
            return Asked("not flagged", { $0.flag != true }) { $0.flag != true }
        case 2:
            return Asked("no flag", { $0.flag == nil }) { $0.flag == nil }
        case 3:
            return Asked("count", { $0.count < count }) { $0.count.map { $0 < count } ?? false }
        case 4:
            return Asked("count is not", { $0.count != count }) { $0.count != count }
        case 5:
            return Asked("since", { $0.moment >= date }) { $0.moment.map { $0 >= date } ?? false }
        case 6:
            return Asked("amount", { $0.amount == amount }) { $0.amount == amount }
        case 7:
            return Asked("colored", { $0.color == color }) { $0.color == color }
        case 8:
            return Asked("bytes", { $0.bytes.hasPrefix(data) }) {
                $0.bytes?.starts(with: data) ?? false
            }
        case 9:
            return Asked("text", { $0.text.equalsIgnoringCase(word) }) {
                $0.text?.lowercased() == word.lowercased()
            }
        default:
            return Asked("rank", { $0.rank >= .journeyman }) { $0.rank.rawValue >= 1 }
        }
    }
}
#endif
