public import FoundationEssentials

/// An object of eight properties, the same in all stores.
///
/// The key is the number. The team, the city and the time of joining each have an index.
@frozen public struct Item: Sendable, Equatable {
    /// The key.
    public var number: Int
    /// A text of about twenty bytes.
    public var name: String
    /// A team, which ten objects of a newly loaded store share.
    public var team: Int
    /// A city, which a thousand objects share.
    public var city: String
    /// When the object joined, to the second.
    public var joined: Date
    /// A rank, which one percent of the objects share; this property has no index.
    public var rank: Int
    /// The property that updates change.
    public var balance: Double
    /// A text of 20 to 55 bytes.
    public var note: String

    /// An object with these values.
    @inlinable public init(
        number: Int, name: String, team: Int, city: String, joined: Date, rank: Int,
        balance: Double, note: String
    ) {
        (self.number, self.name, self.team, self.city) = (number, name, team, city)
        (self.joined, self.rank, self.balance, self.note) = (joined, rank, balance, note)
    }
}

/// Makes the objects; the number of an object determines all its values.
public struct ItemSource: Sendable {
    /// The number of objects in a newly loaded store.
    public let count: Int

    private static let firstJoined = 600_000_000.0
    private static let joinedSeconds = 300_000_000

    /// A source of `count` objects.
    public init(count: Int) { self.count = count }

    /// The object with this number, which need not be one of those in a newly loaded store.
    public func item(_ number: Int) -> Item {
        var draw = Draw(UInt64(number), 0)
        let noteByteCount = 20 + draw.below(40)
        return Item(
            number: number, name: "name \(draw.below(1 << 40))",
            team: scattered(number, over: count / 10),
            city: city(scattered(number, over: cityCount)),
            joined: Date(timeIntervalSinceReferenceDate: second(draw.below(Self.joinedSeconds))),
            rank: scattered(number, over: 100), balance: Double(draw.below(1 << 20)) / 8,
            note: String(repeating: "note ", count: noteByteCount / 5))
    }

    /// All teams and cities, and the range of times at which objects joined.
    public var all: (teams: [Int], cities: [String], joined: Range<Date>) {
        let first = Date(timeIntervalSinceReferenceDate: Self.firstJoined)
        return (
            Array(0..<count / 10), (0..<cityCount).map(city),
            first..<first.addingTimeInterval(Double(Self.joinedSeconds))
        )
    }

    /// A team that some objects have.
    public func team(_ draw: inout Draw) -> Int { draw.below(count / 10) }

    /// A city that some objects have.
    public func city(_ draw: inout Draw) -> String { city(draw.below(cityCount)) }

    /// A range of times in which about a thousand objects joined.
    public func joined(_ draw: inout Draw) -> Range<Date> {
        let length = Self.joinedSeconds / cityCount
        let start = second(draw.below(Self.joinedSeconds - length + 1))
        let first = Date(timeIntervalSinceReferenceDate: start)
        return first..<first.addingTimeInterval(Double(length))
    }

    private var cityCount: Int { count / 1_000 }

    private func city(_ place: Int) -> String { "the city of \(1_000_000 + place)" }

    private func second(_ place: Int) -> Double { Self.firstJoined + Double(place) }

    /// The number of the team, city or rank that the object with this number has.
    ///
    /// Each team, city or rank is shared by equally many objects, whose numbers are far apart.
    private func scattered(_ number: Int, over count: Int) -> Int {
        number % max(count, 1) * 2_654_435_761 % max(count, 1)
    }
}

/// Numbers that look random, and are the same in all programs.
///
/// - Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
///   2014: SplitMix64.
public struct Draw: Sendable {
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var state: UInt64

    /// A stream of numbers.
    public init(_ seed: UInt64, _ stream: Int) {
        state = Self.mixed(Self.mixed(seed &+ Self.step) &+ UInt64(stream))
    }

    /// The next number: at least 0, and less than `limit`.
    public mutating func below(_ limit: Int) -> Int {
        state &+= Self.step
        return Int(Self.mixed(state) % UInt64(max(limit, 1)))
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The numbers of `count` objects.
    public mutating func numbers(_ count: Int, below limit: Int) -> [Int] {
        (0..<count).map { _ in below(limit) }
    }
}
