internal import BullaMemory

/// Index entries that a query has found, collected so that their objects are looked up together.
///
/// The first batch has one entry, and each further one is larger, up to a limit. So a query that
/// stops early looks up few objects in vain.
struct IndexEntries {
    private static let greatestLimit = 64

    private var entries: [[UInt8]] = []
    private var keys: [[UInt8]] = []
    private var limit = 1
    /// The keys of the objects that were looked at; nil if the index has each object only once.
    private(set) var seen: Set<[UInt8]>?

    init(seen: Set<[UInt8]>?) { self.seen = seen }

    /// Adds an entry, and returns whether the batch is full.
    mutating func addAndIsFull(_ entry: ByteView, _ key: ByteView) -> Bool {
        entries.append(entry.copied())
        keys.append(key.copied())
        return keys.count == limit
    }

    mutating func take() -> (entries: [[UInt8]], keys: [[UInt8]]) {
        defer {
            (entries, keys) = ([], [])
            limit = min(2 * limit, Self.greatestLimit)
        }
        return (entries, keys)
    }

    /// Whether an object has not been looked at before; records its key.
    mutating func isNew(_ key: [UInt8]) -> Bool { seen?.insert(key).inserted ?? true }
}
