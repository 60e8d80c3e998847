internal import BullaMemory

/// Entries of an index that a query has come to, until their objects are looked up together.
///
/// One at first, then more each time: a query that stops has looked few up in vain.
struct IndexEntries {
    private static let greatestLimit = 64

    private var entries: [[UInt8]] = []
    private var keys: [[UInt8]] = []
    private var limit = 1
    /// The keys that were lent, where the index may have an object several times.
    private(set) var seen: Set<[UInt8]>?

    init(seen: Set<[UInt8]>?) { self.seen = seen }

    /// Adds an entry, and says whether they are enough to be looked up.
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

    /// Whether an object is lent for the first time.
    mutating func isNew(_ key: [UInt8]) -> Bool { seen?.insert(key).inserted ?? true }
}
