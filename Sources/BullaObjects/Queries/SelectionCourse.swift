internal import BullaMemory

/// How far one has come with what a query asks for.
package struct SelectionCourse: Sendable {
    let plan: Plan
    /// The entry behind which it goes on, in the tree whose order the plan has.
    private(set) var entry: [UInt8]?
    /// Of an order that no tree has: the keys of what was found, in that order.
    let keys: [[UInt8]]?
    private var keyCount = 0
    /// Keys of objects that were lent, where the tree may have one several times.
    private var seen: Set<[UInt8]> = []
    /// So many objects are left, at most.
    var left: Int
    /// Whether nothing is left.
    package private(set) var isOver = false

    init(plan: Plan, entry: [UInt8]?, keys: [[UInt8]]?, left: Int) {
        (self.plan, self.entry, self.keys, self.left) = (plan, entry, keys, left)
    }

    /// The next of the keys that were found.
    mutating func takeKey() -> [UInt8]? {
        guard let keys, left > 0, keyCount < keys.count else {
            isOver = true
            return nil
        }
        defer { keyCount += 1 }
        return keys[keyCount]
    }

    /// What was lent; given back when it stops, so that it is not copied.
    mutating func takeSeen() -> Set<[UInt8]> {
        defer { seen = [] }
        return seen
    }

    /// - Parameter entry: the one at which it stopped; none where it came to the end.
    mutating func stop(at entry: [UInt8]?, _ seen: Set<[UInt8]>) {
        (self.seen, isOver) = (seen, entry == nil)
        if let entry { self.entry = entry }
    }
}

/// An object that others are to come after, as its reader has it: what is visible of it.
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
