internal import BullaMemory

/// The verbs that change which trees there are.
extension WriteTransaction {
    /// Creates a tree.
    ///
    /// - Throws: `treeExists` where there is one of that name: then nothing has changed, and the
    ///   transaction goes on; `invalidArgument` when the name is empty or longer than 255 bytes.
    @discardableResult
    public mutating func createTree(named name: some ByteSource) throws(BullaError) -> Tree {
        try checkFree(
            name,
            "create a tree of \(access.core.parts.path): there is one of that name; "
                + "openOrCreateTree(named:) opens it")
        return try openOrCreateTree(named: name)
    }

    /// Opens a tree, and creates it where there is none of that name.
    ///
    /// - Throws: `invalidArgument` when the name is empty or longer than 255 bytes.
    @discardableResult
    public mutating func openOrCreateTree(named name: some ByteSource) throws(BullaError) -> Tree {
        try name.withBytes { name throws(BullaError) in
            try name.withView { name throws(BullaError) in try openOrCreateTree(named: name) }
        }
    }

    /// Opens a tree whose name lies in memory of the engine's, and creates it where there is none.
    ///
    /// - Parameters:
    ///   - number: of a new tree, what it has in the store that it is copied from.
    mutating func openOrCreateTree(
        named name: ByteView, number: UInt64? = nil
    ) throws(BullaError) -> Tree {
        try Limits.checkTreeName(name, of: access.core.parts.path)
        let index = try turn.change(adding: name.byteCount) {
            [access] changes throws(BullaError) in
            if let direct = changes.direct {
                return try direct.openOrCreateTree(named: name, number: number)
            }
            if let tree = try access.tree(named: name) { return tree.index }
            return try changes.createTree(named: name, number: number)
        }
        return access.openedTree(index)
    }

    /// Drops a tree with all its entries; `false` where there is none of that name.
    ///
    /// - Throws: `invalidArgument` when the name is empty or longer than 255 bytes: then nothing
    ///   has changed, and the transaction goes on.
    /// - Complexity: O(1); the next checkpoint looks at every branch page, and at every leaf where
    ///   the tree has large values.
    @discardableResult
    public mutating func dropTree(named name: some ByteSource) throws(BullaError) -> Bool {
        try name.withBytes { name throws(BullaError) in
            try name.withView { name throws(BullaError) in
                try Limits.checkTreeName(name, of: access.core.parts.path)
                return try turn.change(adding: name.byteCount) {
                    [access] changes throws(BullaError) in
                    if let direct = changes.direct { return try direct.dropTree(named: name) }
                    guard let tree = try access.tree(named: name) else { return false }
                    try changes.dropTree(tree.index)
                    return true
                }
            }
        }
    }

    /// Gives a tree another name.
    ///
    /// Trees that this transaction has opened stay open under whatever name.
    ///
    /// - Parameters:
    ///   - name: the name that it has.
    ///   - newName: the name that it gets, 1 to 255 bytes.
    /// - Throws: `treeNotFound` where there is none of that name; `treeExists` where there is one
    ///   of the new name, be it the same; `invalidArgument` when the new name is empty or too
    ///   long. Then nothing has changed, and the transaction goes on.
    /// - Complexity: two changes in the catalog, however large the tree is.
    public mutating func renameTree(
        named name: some ByteSource, to newName: some ByteSource
    ) throws(BullaError) {
        let tree = try tree(named: name)
        try checkFree(
            newName, "rename a tree of \(access.core.parts.path): there is one of the new name")
        try newName.withBytes { newName throws(BullaError) in
            try newName.withView { newName throws(BullaError) in
                let byteCount = newName.byteCount + PageFormat.treeNameByteLimit
                try turn.change(adding: byteCount) { changes throws(BullaError) in
                    if let direct = changes.direct {
                        try direct.renameTree(tree.index, to: newName)
                    } else {
                        try changes.renameTree(tree.index, to: newName)
                    }
                }
            }
        }
    }
}

extension TreeReader where Self: ~Copyable {
    /// Refuses a name that a tree has.
    fileprivate func checkFree(
        _ name: some ByteSource, _ refusal: @autoclosure () -> String
    ) throws(BullaError) {
        guard try treeIfPresent(named: name) == nil else {
            throw BullaError(.treeExists, refusal())
        }
    }
}
