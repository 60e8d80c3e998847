package import BullaMemory

/// A cursor over the keys that either memtable of a view has changed in one tree.
///
/// A key that both have changed appears once, as the newer memtable has it. The cursor is valid as
/// long as the ``MemtablePair`` that made it.
package struct ChangeCursor {
    private var newer: Side
    private var older: Side
    /// The direction of the last move: each side stands on the cursor's key, or on the next key of
    /// its own memtable in this direction.
    private var order = ScanOrder.ascending

    /// The key that it stands on; empty if there is none.
    package private(set) var key = emptyView

    /// One memtable's part of the cursor.
    fileprivate struct Side {
        var cursor: MemtableCursor
        /// The key that the side's cursor stands on.
        var key = emptyView
        /// Whether the whole cursor stands on this side's key.
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

    /// The memtables' change to the key; `nil` if the cursor stands on no key.
    @inline(__always)
    package var change: MemtableChange? {
        newer.isCurrent ? newer.cursor.change : older.isCurrent ? older.cursor.change : nil
    }

    /// Moves to the end where a scan in the given order begins.
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

    /// Moves to the next key in the given order.
    ///
    /// After the last key, the cursor stands on none, and a step in the other order leads back to
    /// that key.
    @inline(__always)
    package mutating func step(_ order: ScanOrder) {
        guard order == self.order else { return turn(order) }
        if newer.isCurrent { newer.step(order) }
        if older.isCurrent { older.step(order) }
        choose()
    }

    /// Steps in the other direction.
    ///
    /// Each side stands on the cursor's key or beyond it, so one step back takes it to its nearest
    /// key in the new direction.
    private mutating func turn(_ order: ScanOrder) {
        self.order = order
        newer.turn(order)
        older.turn(order)
        choose()
    }

    /// Chooses the nearer of the two sides' keys, or both if they are the same.
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
