public import FoundationEssentials

/// A store of items, as one library keeps it.
///
/// Each call is a whole slice, or one transaction of it: what is measured is asked for many times
/// at once. What reads hands all that it has found to the glance, as the values or arrays that a
/// user of the library would have in hand.
public protocol ObjectSide: AnyObject {
    /// Adds objects in one transaction, which is durable when this returns.
    func insert(_ items: ArraySlice<Item>) throws

    /// Changes one property of each of the objects, likewise.
    func update(_ numbers: ArraySlice<Int>, balance: Double) throws

    /// Fetches objects by their keys: all in one snapshot, or each in one of its own.
    func fetch(_ numbers: [Int], isReadEach: Bool, _ glance: inout Glance) throws

    /// Fetches the objects of each team, by its index; like all that follow in one snapshot.
    func query(teams: [Int], _ glance: inout Glance) throws

    /// Fetches the objects of each city, by its index.
    func query(cities: [String], _ glance: inout Glance) throws

    /// Fetches the objects of each rank, which has no index.
    func filter(ranks: [Int], _ glance: inout Glance) throws

    /// Fetches those that joined first, so many times.
    func fetchFirst(_ limit: Int, times: Int, _ glance: inout Glance) throws

    /// Counts those that joined at certain times.
    func count(joined: [Range<Date>], _ glance: inout Glance) throws

    /// Looks at all objects in the order of their keys; not measured.
    func visitAll(_ body: (Item) -> Void) throws

    /// Returns when nothing goes on in the background: checkpoints that are due.
    func rest() throws

    /// Finishes what commits have put off, and returns when it is done.
    func drain() throws

    /// Follows the objects of a team, where the library sees what other processes do.
    func watch(team: Int) throws -> (any ItemWatch)?

    /// Closes the store so that its files can be copied.
    func close() throws
}

extension ObjectSide {
    /// By default, nothing goes on in the background.
    public func rest() throws {}

    /// By default, changes of other processes are not seen.
    public func watch(team: Int) throws -> (any ItemWatch)? { nil }
}

/// Tells what has become of some objects, whichever process changed them.
public protocol ItemWatch {
    /// Those that have come or changed; nil where none has in that time.
    mutating func next(seconds: Int) throws -> [Item]?
}

/// A look at what was read, so that it was read, and was the same in all stores.
public struct Glance: Sendable {
    /// How many objects were read, or numbers.
    public private(set) var count = 0
    /// Of some of what they hold.
    public private(set) var sum: UInt64 = 0

    /// A look at nothing so far.
    public init() {}

    /// An object was read.
    @inline(__always) public mutating func saw(_ item: Item) {
        count += 1
        sum &+= UInt64(truncatingIfNeeded: item.number &+ item.rank &+ item.team)
        sum &+= UInt64(item.name.utf8.count &+ item.city.utf8.count &+ item.note.utf8.count)
        sum &+= item.joined.timeIntervalSinceReferenceDate.bitPattern &+ item.balance.bitPattern
    }

    /// Several were.
    public mutating func saw(_ items: [Item]) { for item in items { saw(item) } }

    /// Objects were counted.
    public mutating func saw(count: Int) {
        self.count += 1
        sum &+= UInt64(count)
    }
}
