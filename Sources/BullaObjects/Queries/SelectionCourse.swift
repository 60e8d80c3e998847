internal import BullaMemory

/// The progress of reading a query's result.
package struct SelectionCourse: Sendable {
    let plan: Plan
    /// The entry after which reading continues, in the tree whose order the plan uses.
    private(set) var entry: [UInt8]?
    /// If no tree has the query's order: the keys of the objects found, in that order.
    let keys: [[UInt8]]?
    private var keyCount = 0
    /// The keys of the objects that were looked at, if the tree may contain an object several
    /// times.
    private var seen: Set<[UInt8]> = []
    /// The maximum number of objects that are still to come.
    var left: Int
    /// Whether the end was reached.
    package private(set) var isOver = false

    init(plan: Plan, entry: [UInt8]?, keys: [[UInt8]]?, left: Int) {
        (self.plan, self.entry, self.keys, self.left) = (plan, entry, keys, left)
    }

    /// The next of the found keys.
    mutating func takeKey() -> [UInt8]? {
        guard let keys, left > 0, keyCount < keys.count else {
            isOver = true
            return nil
        }
        defer { keyCount += 1 }
        return keys[keyCount]
    }

    /// Moves `seen` out, so that the keys are not copied; `stop(at:_:)` moves them back.
    mutating func takeSeen() -> Set<[UInt8]> {
        defer { seen = [] }
        return seen
    }

    /// - Parameter entry: the entry at which reading stopped; nil if it reached the end.
    mutating func stop(at entry: [UInt8]?, _ seen: Set<[UInt8]>) {
        (self.seen, isOver) = (seen, entry == nil)
        if let entry { self.entry = entry }
    }
}

/// An object's position in an order, given by its key and the row of its visible properties.
///
/// Both come from the caller's copy: in the store, the object may have changed since, or be gone.
package struct ObjectPosition: Sendable {
    private let key: [UInt8]
    private let row: [UInt8]

    package init(key: [UInt8], row: [UInt8]) { (self.key, self.row) = (key, row) }

    func withObject<R>(
        of table: ObjectTable, _ body: (ObjectBytes) throws(ObjectError) -> R
    ) throws(ObjectError) -> R {
        try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in try body(table.object(key, row)) }
        }
    }
}
