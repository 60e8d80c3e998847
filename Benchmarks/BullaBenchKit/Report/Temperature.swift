/// What of a store is at hand when it is measured.
package enum Temperature: String, Codable, CaseIterable, Sendable {
    /// Everything was read once before, and the cache holds it.
    case hot
    /// Everything was read once before, but the cache is smaller.
    case overCache = "over-cache"
    /// The store was just opened: its own cache is empty, the page cache of the system is not.
    case cold
    /// The store was just opened, and its file dropped from the page cache.
    case disk
    /// The workers' memory, page cache included, is smaller than the data.
    case memoryBound = "memory-bound"
    /// The store was new.
    case empty

    package var text: String {
        switch self {
        case .overCache: "larger than the cache"
        case .memoryBound: "less memory than data"
        case .hot, .cold, .disk, .empty: rawValue
        }
    }
}
