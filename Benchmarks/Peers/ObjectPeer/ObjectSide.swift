public import FoundationEssentials

/// A store of items, as one library keeps it.
///
/// Each call is a whole slice, or one transaction of it, so one call asks for the measured work
/// many times. Reads hand all that they have found to the glance, as the values or arrays that a
/// user of the library would get.
public protocol ObjectSide: AnyObject {
    /// Adds objects in one transaction, which is durable when this returns.
    func insert(_ items: ArraySlice<Item>) throws

    /// Changes one property of each object, in one transaction as well.
    func update(_ numbers: ArraySlice<Int>, balance: Double) throws

    /// Fetches objects by their keys, all in one snapshot or each in its own.
    func fetch(_ numbers: [Int], isReadEach: Bool, _ glance: inout Glance) throws

    /// Fetches the objects of each team by its index, in one snapshot, as all reads below.
    func query(teams: [Int], _ glance: inout Glance) throws

    /// Fetches the objects of each city by its index.
    func query(cities: [String], _ glance: inout Glance) throws

    /// Fetches the objects of each rank, which has no index.
    func filter(ranks: [Int], _ glance: inout Glance) throws

    /// Fetches the `limit` objects that joined first; repeats it `times` times.
    func fetchFirst(_ limit: Int, times: Int, _ glance: inout Glance) throws

    /// Counts the objects that joined in each range of times.
    func count(joined: [Range<Date>], _ glance: inout Glance) throws

    /// Visits all objects in the order of their keys; not measured.
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

    /// By default, other processes' changes are not seen.
    public func watch(team: Int) throws -> (any ItemWatch)? { nil }
}

/// Reports changes of some objects, whichever process made them.
public protocol ItemWatch {
    /// The objects that are new or changed; nil if there were none in that time.
    mutating func next(seconds: Int) throws -> [Item]?
}

/// A sum over what was read: it forces reading, and must agree in all stores.
public struct Glance: Sendable {
    /// The number of objects read, or the sum of the counts.
    public private(set) var count = 0
    /// The sum of some of their values.
    public private(set) var sum: UInt64 = 0

    /// A glance at nothing so far.
    public init() {}

    /// An object was read.
    @inline(__always) public mutating func saw(_ item: Item) {
        count += 1
        sum &+= UInt64(truncatingIfNeeded: item.number &+ item.rank &+ item.team)
        sum &+= UInt64(item.name.utf8.count &+ item.city.utf8.count &+ item.note.utf8.count)
        sum &+= item.joined.timeIntervalSinceReferenceDate.bitPattern &+ item.balance.bitPattern
    }

    /// Several objects were read.
    public mutating func saw(_ items: [Item]) { for item in items { saw(item) } }

    /// Objects were counted.
    public mutating func saw(count: Int) {
        self.count += 1
        sum &+= UInt64(count)
    }
}
