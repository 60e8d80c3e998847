package import BullaMemory

/// Changed keys of one tree, ascending, to be walked once.
package protocol SortedChanges {
    /// Whether there is a change here.
    var isOnEntry: Bool { get }
    /// The changed key, good until the next move.
    var key: ByteView { get }
    /// What becomes of the key; `nil` where there is no change.
    var change: MemtableChange? { get }
    /// Moves to the next greater key; `false`, and nowhere, after the last one.
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
