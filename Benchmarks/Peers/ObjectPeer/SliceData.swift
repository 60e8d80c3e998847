public import FoundationEssentials

/// What a slice works on: drawn before the clock starts, the same for all programs.
public struct SliceData: Sendable {
    /// Keys.
    public private(set) var numbers: [Int] = []
    /// Of queries with ten results.
    public private(set) var teams: [Int] = []
    /// Of queries with a thousand.
    public private(set) var cities: [String] = []
    /// Of filters.
    public private(set) var ranks: [Int] = []
    /// Of counts.
    public private(set) var joined: [Range<Date>] = []
    /// What updates put.
    public private(set) var balance = 0.0
    /// What is added.
    public private(set) var items: [Item] = []
    /// How often something is done; of writes, in how many transactions.
    public let operations: Int

    /// Draws it.
    ///
    /// - Parameter nextNumber: of the next object that is added.
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

/// What all objects of a store add up to, each with its place among them.
public struct ItemDigest: Sendable {
    private var count = 0
    private var hash: UInt64 = 0

    /// Of no objects so far.
    public init() {}

    /// Adds the next one.
    public mutating func add(_ item: Item) {
        var glance = Glance()
        glance.saw(item)
        for text in [item.name, item.city, item.note] {
            for byte in text.utf8 { add(UInt64(byte)) }
        }
        add(glance.sum)
        count += 1
    }

    /// As a program tells it.
    public var answer: ObjectLoop.Answer {
        ["count": [count], "sum": [Int(truncatingIfNeeded: hash)]]
    }

    private mutating func add(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }
}
