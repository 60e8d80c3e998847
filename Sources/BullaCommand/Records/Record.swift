/// One record of an input: an entry for a tree.
///
/// Its buffers are used again for the next one.
struct Record {
    var key: [UInt8] = []
    var value: [UInt8] = []
    /// The line that it begins at, from 1.
    var line = 0
    /// Set where the input says so itself, as a dump does: the tree that the entries from here on
    /// go to.
    var tree: [UInt8]?
    /// Whether there is a key; without one the record only names a tree.
    var hasEntry = true
    /// Whether more of the value follows: see ``RecordReader/readMore(_:)``.
    var hasMore = false

    mutating func clear() {
        key.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        tree = nil
        hasEntry = true
        hasMore = false
    }
}
