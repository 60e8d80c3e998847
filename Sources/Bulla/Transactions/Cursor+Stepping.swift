internal import BullaMemory

/// Moving: to an end, to a key, and from entry to entry.
extension Cursor {
    /// Moves to the smallest key; `false` if the tree is empty.
    public mutating func moveToFirst() throws(BullaError) -> Bool { try goToEnd(.ascending) }

    /// Moves to the greatest key; `false` if the tree is empty.
    public mutating func moveToLast() throws(BullaError) -> Bool { try goToEnd(.descending) }

    /// Moves to the first key that is not less than `key`; `false` if there is none.
    public mutating func seek(to key: some ByteSource) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                try access.claim.entrance.checkAlive()
                if let changes {
                    isNew = false
                    return try changes.seek(to: key, access)
                }
                try operate { cursor throws(BullaError) in
                    try cursor.path.seek(cursor.access.pager, key)
                    try cursor.settle(.ascending)
                }
                return isOnEntry
            }
        }
    }

    /// Moves to the next greater key; `false` if there is none, and the cursor then stands on no
    /// entry.
    ///
    /// A cursor that was never moved goes to the smallest key, as ``moveToFirst()`` does. Once a
    /// cursor has passed an end, steps in both directions return `false`, until ``moveToFirst()``,
    /// ``moveToLast()`` or ``seek(to:)`` puts it on an entry.
    public mutating func moveToNext() throws(BullaError) -> Bool { try step(.ascending) }

    /// Moves to the next smaller key; `false` if there is none, and the cursor then stands on no
    /// entry.
    ///
    /// A cursor that was never moved goes to the greatest key, as ``moveToLast()`` does.
    public mutating func moveToPrevious() throws(BullaError) -> Bool { try step(.descending) }

    private mutating func goToEnd(_ order: ScanOrder) throws(BullaError) -> Bool {
        try access.claim.entrance.checkAlive()
        if let changes {
            isNew = false
            return try changes.goToEnd(order, access)
        }
        try operate { cursor throws(BullaError) in
            try cursor.path.goToEnd(cursor.access.pager, order)
            try cursor.settle(order)
        }
        return isOnEntry
    }

    private mutating func step(_ order: ScanOrder) throws(BullaError) -> Bool {
        guard isOnEntry, let leaf = path.leaf else { return try stepOtherwise(order) }
        try access.claim.entrance.checkAlive()
        path.setLeafIndex(order == .ascending ? leaf.index + 1 : leaf.index - 1)
        try operate { cursor throws(BullaError) in try cursor.settle(order) }
        return isOnEntry
    }

    /// Makes a step when ``path`` stands on no entry.
    @inline(never)
    private mutating func stepOtherwise(_ order: ScanOrder) throws(BullaError) -> Bool {
        if isNew { return try goToEnd(order) }
        try access.claim.entrance.checkAlive()
        return try changes?.step(order, access) ?? false
    }

    /// Runs a move as one operation.
    private mutating func operate(
        _ move: (inout Cursor) throws(BullaError) -> Void
    ) throws(BullaError) {
        // After a move that fails half-way, the cursor stands on no entry.
        (isNew, isOnEntry) = (false, false)
        let access = access
        try access.claim.reading { () throws(BullaError) in
            try access.pager.operate { () throws(BullaError) in try move(&self) }
        }
    }

    /// Moves on to the next leaf that has an entry, if the path has moved past the entries of its
    /// leaf.
    private mutating func settle(_ order: ScanOrder) throws(BullaError) {
        while let leaf = path.leaf {
            let page = try access.pager.treePage(leaf.pointer, level: 0)
            isOnEntry = leaf.index >= 0 && leaf.index < page.count
            guard !isOnEntry, try path.nextLeaf(access.pager, order) else { return }
        }
    }
}
