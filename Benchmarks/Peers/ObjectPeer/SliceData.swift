public import FoundationEssentials

/// The data of a slice, chosen before the clock starts, and the same for all programs.
public struct SliceData: Sendable {
    /// The keys of objects to fetch or to update.
    public private(set) var numbers: [Int] = []
    /// The teams for queries with ten results.
    public private(set) var teams: [Int] = []
    /// The cities for queries with a thousand results.
    public private(set) var cities: [String] = []
    /// The ranks for filters.
    public private(set) var ranks: [Int] = []
    /// For each count, a range of times; the objects that joined in that range are counted.
    public private(set) var joined: [Range<Date>] = []
    /// The balance that updates set.
    public private(set) var balance = 0.0
    /// The objects to insert.
    public private(set) var items: [Item] = []
    /// The number of operations or, for writes, of transactions.
    public let operations: Int

    /// Chooses the data at random.
    ///
    /// - Parameter nextNumber: the number of the next object to insert.
    public init(
        _ work: ObjectWork, _ order: ObjectOrder, _ source: ItemSource, _ nextNumber: inout Int
    ) {
        operations = order.operations
        let count = operations
        var draw = Draw(UInt64(order.slice), work.rawValue.utf8.count)
        switch work {
        case .fetch, .fetchEach: numbers = draw.numbers(count, below: source.count)
        case .query10: teams = (0..<count).map { _ in source.team(&draw) }
        case .query1000: cities = (0..<count).map { _ in source.city(&draw) }
        case .filter: ranks = draw.numbers(count, below: 100)
        case .sort: break
        case .count: joined = (0..<count).map { _ in source.joined(&draw) }
        case .update:
            numbers = draw.numbers(count * work.batchCount, below: source.count)
            balance = Double(draw.below(1 << 20))
        case .insertOne, .insert1000, .insert10000:
            let first = nextNumber
            nextNumber += count * work.batchCount
            items = (first..<nextNumber).map(source.item)
        }
    }
}

/// A digest of all objects of a store, in their order.
public struct ItemDigest: Sendable {
    private var count = 0
    private var hash: UInt64 = 0

    /// The digest of no objects.
    public init() {}

    /// Adds the next object.
    public mutating func add(_ item: Item) {
        var glance = Glance()
        glance.saw(item)
        for text in [item.name, item.city, item.note] {
            for byte in text.utf8 { add(UInt64(byte)) }
        }
        add(glance.sum)
        count += 1
    }

    /// The digest as part of a program's answer.
    public var answer: ObjectLoop.Answer {
        ["count": [count], "sum": [Int(truncatingIfNeeded: hash)]]
    }

    private mutating func add(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }
}
