package import BullaMemory

/// The changed keys of one tree in ascending order, to be walked once.
package protocol SortedChanges {
    /// Whether the walk stands on a changed key.
    var isOnEntry: Bool { get }
    /// The changed key, valid until the next move.
    var key: ByteView { get }
    /// What becomes of the key; `nil` if the walk stands on none.
    var change: MemtableChange? { get }
    /// Moves to the next greater key; `false` after the last one, and then the walk stands on none.
    @discardableResult
    mutating func moveToNext() -> Bool
}

extension MemtableCursor: SortedChanges {}

extension ChangeCursor: SortedChanges {
    @discardableResult
    package mutating func moveToNext() -> Bool {
        step(.ascending)
        return isOnEntry
    }
}
