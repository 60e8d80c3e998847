/// What a tree is made of.
///
/// Entries are counted as the reader sees them that was asked. Pages, height, and what lies in the
/// pages are those of the checkpoint that it stands on.
public struct TreeStatistics: Sendable, Codable, Hashable {
    /// Entries.
    public internal(set) var entryCount = 0
    /// Pages on every way from the root to a leaf; 0 where the tree is empty.
    public internal(set) var height = 0
    /// Pages that name other pages of the tree.
    public internal(set) var branchPageCount = 0
    /// Pages that hold entries.
    public internal(set) var leafPageCount = 0
    /// Bytes of all keys.
    public internal(set) var keyByteCount = 0
    /// Bytes of all values, large ones included.
    public internal(set) var valueByteCount = 0
    /// Values that lie in pages of their own.
    public internal(set) var largeValueCount = 0
    /// Bytes of these values.
    public internal(set) var largeValueByteCount = 0
    /// Pages of these values' bytes.
    public internal(set) var valuePageCount = 0
    /// Pages that name the pages of these values.
    public internal(set) var valueIndexPageCount = 0
    /// How much of what leaves and branches can hold is taken, from 0 to 1; 0 for an empty tree.
    public internal(set) var fill = 0.0

    /// All pages of the tree.
    public var pageCount: Int {
        var sum = 0
        let kinds = [branchPageCount, leafPageCount, valuePageCount, valueIndexPageCount]
        for count in kinds { sum.saturate(adding: count) }
        return sum
    }
}
