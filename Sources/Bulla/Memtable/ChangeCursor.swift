package import BullaMemory

/// A position among the keys of one tree that either memtable of a view has changed, that can move.
///
/// A key that both have changed is there once, with what the newer one says. Good as long as the
/// pair that gave it.
package struct ChangeCursor {
    private var newer: Side
    private var older: Side
    /// The way that it moved last: it stands at the nearest of the two sides' keys, seen from where
    /// it came from.
    private var order = ScanOrder.ascending

    /// The key that it stands on; empty where there is none.
    package private(set) var key = emptyView

    /// One memtable's.
    fileprivate struct Side {
        var cursor: MemtableCursor
        /// The key that the side's cursor stands on.
        var key = emptyView
        /// Whether it is the one that the whole stands on.
        var isCurrent = false

        init(_ cursor: MemtableCursor) { self.cursor = cursor }
    }

    init(_ newer: MemtableCursor, _ older: MemtableCursor) {
        self.newer = Side(newer)
        self.older = Side(older)
    }

    /// Whether it stands on a key.
    @inline(__always)
    package var isOnEntry: Bool { newer.isCurrent || older.isCurrent }

    /// What is said of the key; `nil` where it stands nowhere.
    @inline(__always)
    package var change: MemtableChange? {
        newer.isCurrent ? newer.cursor.change : older.isCurrent ? older.cursor.change : nil
    }

    /// Moves to the end that a walk in that order begins at.
    package mutating func moveToEnd(_ order: ScanOrder) {
        self.order = order
        newer.moveToEnd(order)
        older.moveToEnd(order)
        choose()
    }

    /// Moves to the first key that is not below `key`.
    package mutating func seek(notBelow key: ByteView) {
        order = .ascending
        newer.note(newer.cursor.seek(notBelow: key))
        older.note(older.cursor.seek(notBelow: key))
        choose()
    }

    /// Moves to the last key that is not above `key`.
    package mutating func seek(notAbove key: ByteView) {
        order = .descending
        newer.note(newer.cursor.seek(notAbove: key))
        older.note(older.cursor.seek(notAbove: key))
        choose()
    }

    /// Moves to the next key in that order.
    ///
    /// Beyond the last one it stands nowhere, and a step in the other order leads back to the last.
    @inline(__always)
    package mutating func step(_ order: ScanOrder) {
        guard order == self.order else { return turn(order) }
        if newer.isCurrent { newer.step(order) }
        if older.isCurrent { older.step(order) }
        choose()
    }

    /// Moves the other way.
    ///
    /// Each side stands on the cursor's key or beyond it, so one step back takes it to its nearest
    /// key the other way.
    private mutating func turn(_ order: ScanOrder) {
        self.order = order
        newer.turn(order)
        older.turn(order)
        choose()
    }

    /// Stands on the nearer of the two sides' keys, and on both where they are the same.
    @inline(__always)
    private mutating func choose() {
        newer.isCurrent = newer.cursor.isOnEntry
        older.isCurrent = older.cursor.isOnEntry
        if newer.isCurrent && older.isCurrent {
            let difference = newer.key.compare(older.key)
            let isNewerFirst = order == .ascending ? difference < 0 : difference > 0
            newer.isCurrent = isNewerFirst || difference == 0
            older.isCurrent = !isNewerFirst
        }
        key = newer.isCurrent ? newer.key : older.key
    }
}

extension ChangeCursor.Side {
    @inline(__always)
    mutating func note(_ isOnEntry: Bool) { key = isOnEntry ? cursor.key : emptyView }

    mutating func moveToEnd(_ order: ScanOrder) {
        note(order == .ascending ? cursor.moveToFirst() : cursor.moveToLast())
    }

    @inline(__always)
    mutating func step(_ order: ScanOrder) {
        note(order == .ascending ? cursor.moveToNext() : cursor.moveToPrevious())
    }

    mutating func turn(_ order: ScanOrder) {
        if cursor.isOnEntry { step(order) } else { moveToEnd(order) }
    }
}
