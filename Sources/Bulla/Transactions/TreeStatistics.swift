/// The measures of a tree.
///
/// ``entryCount`` counts the entries that the reader sees. All other measures are taken from the
/// pages of the checkpoint that the reader reads; if the reader is a transaction that has outgrown
/// the log, they are taken from the transaction's own pages.
public struct TreeStatistics: Sendable, Codable, Hashable {
    /// The number of entries.
    public internal(set) var entryCount = 0
    /// How many pages lie on each path from the root to a leaf; 0 for an empty tree.
    public internal(set) var height = 0
    /// How many branch pages lead to the leaves.
    public internal(set) var branchPageCount = 0
    /// How many pages hold entries.
    public internal(set) var leafPageCount = 0
    /// The length of all keys together, in bytes.
    public internal(set) var keyByteCount = 0
    /// The length of all values together, in bytes, including large values.
    public internal(set) var valueByteCount = 0
    /// How many values are large, and so lie in pages of their own.
    public internal(set) var largeValueCount = 0
    /// The length of all large values together, in bytes.
    public internal(set) var largeValueByteCount = 0
    /// How many pages hold the bytes of large values.
    public internal(set) var valuePageCount = 0
    /// How many index pages point to pages of large values.
    public internal(set) var valueIndexPageCount = 0
    /// The share of the room in leaves and branches that is in use, from 0 to 1; 0 for an empty
    /// tree.
    public internal(set) var fill = 0.0

    /// The total number of pages of the tree.
    public var pageCount: Int {
        var sum = 0
        let kinds = [branchPageCount, leafPageCount, valuePageCount, valueIndexPageCount]
        for count in kinds { sum.saturate(adding: count) }
        return sum
    }
}
