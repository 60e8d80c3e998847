public import FoundationEssentials

/// A store of items, as one library keeps it.
///
/// One call does a whole slice (see ``ObjectWork``) or one transaction of a slice, so the cost of
/// the call itself hardly counts. Each read hands everything that it finds to the glance, in the
/// form of the values or arrays that a user of the library would get.
public protocol ObjectSide: AnyObject {
    /// Adds objects in one transaction, which is durable when this returns.
    func insert(_ items: ArraySlice<Item>) throws

    /// Changes one property of each object in one transaction, which is durable when this returns.
    func update(_ numbers: ArraySlice<Int>, balance: Double) throws

    /// Fetches objects by their keys, all in one snapshot or each in its own.
    func fetch(_ numbers: [Int], isReadEach: Bool, _ glance: inout Glance) throws

    /// Fetches the objects of each team by the index; this call and each read below use one
    /// snapshot for the whole call.
    func query(teams: [Int], _ glance: inout Glance) throws

    /// Fetches the objects of each city by the index.
    func query(cities: [String], _ glance: inout Glance) throws

    /// Fetches the objects of each rank, which has no index.
    func filter(ranks: [Int], _ glance: inout Glance) throws

    /// Fetches the `limit` objects that joined first; does this `times` times.
    func fetchFirst(_ limit: Int, times: Int, _ glance: inout Glance) throws

    /// Counts the objects that joined in each range of times.
    func count(joined: [Range<Date>], _ glance: inout Glance) throws

    /// Visits all objects in the order of their keys; this is not measured.
    func visitAll(_ body: (Item) -> Void) throws

    /// Returns when no background work is left, such as checkpoints that are due.
    func rest() throws

    /// Finishes the work that commits have deferred, and returns when it is done.
    func drain() throws

    /// Follows the objects of a team; nil if the library does not see other processes' changes.
    func watch(team: Int) throws -> (any ItemWatch)?

    /// Closes the store so that its files can be copied.
    func close() throws
}

extension ObjectSide {
    /// By default, there is no background work.
    public func rest() throws {}

    /// By default, the library does not see other processes' changes.
    public func watch(team: Int) throws -> (any ItemWatch)? { nil }
}

/// Reports changes of some objects, whichever process made them.
public protocol ItemWatch {
    /// Returns all the objects on the first call, and on later calls those that are new or changed
    /// since the previous call; nil if there were none within this number of seconds.
    mutating func next(seconds: Int) throws -> [Item]?
}

/// A sum over everything that was read, which must agree in all stores.
///
/// It also makes sure that the objects are really read.
public struct Glance: Sendable {
    /// The number of objects read, or of counts made.
    public private(set) var count = 0
    /// A sum over the objects' numbers and times, the lengths of their texts, and the counts.
    public private(set) var sum: UInt64 = 0

    /// A sum over nothing.
    public init() {}

    /// Adds an object that was read.
    @inline(__always) public mutating func saw(_ item: Item) {
        count += 1
        sum &+= UInt64(truncatingIfNeeded: item.number &+ item.rank &+ item.team)
        sum &+= UInt64(item.name.utf8.count &+ item.city.utf8.count &+ item.note.utf8.count)
        sum &+= item.joined.timeIntervalSinceReferenceDate.bitPattern &+ item.balance.bitPattern
    }

    /// Adds objects that were read.
    public mutating func saw(_ items: [Item]) { for item in items { saw(item) } }

    /// Adds the result of a count.
    public mutating func saw(count: Int) {
        self.count += 1
        sum &+= UInt64(count)
    }
}
