internal import BullaMemory

/// Creates, drops and renames trees.
extension WriteTransaction {
    /// Creates a tree.
    ///
    /// - Throws: `treeExists` if there is a tree of that name; `invalidArgument` if the name is
    ///   empty or longer than 255 bytes. After these errors, nothing has changed, and the
    ///   transaction can continue. Also what every change throws (``WriteTransaction``).
    @discardableResult
    public mutating func createTree(named name: some ByteSource) throws(BullaError) -> Tree {
        try checkFree(
            name,
            "create a tree of \(access.core.parts.path): there is one of that name; "
                + "openOrCreateTree(named:) opens it")
        return try openOrCreateTree(named: name)
    }

    /// Opens a tree by its name, and creates it if there is none.
    ///
    /// - Throws: `invalidArgument` if the name is empty or longer than 255 bytes; what every change
    ///   throws (``WriteTransaction``).
    @discardableResult
    public mutating func openOrCreateTree(named name: some ByteSource) throws(BullaError) -> Tree {
        try name.withBytes { name throws(BullaError) in
            try name.withView { name throws(BullaError) in try openOrCreateTree(named: name) }
        }
    }

    /// Opens a tree whose name lies in the engine's own memory, and creates it if there is none.
    ///
    /// - Parameters:
    ///   - number: the number that a new tree gets, if it is a copy of a tree of another store;
    ///     `nil` for the next unused number.
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

    /// Drops a tree with all its entries; `false` if there is none of that name.
    ///
    /// - Throws: `invalidArgument` if the name is empty or longer than 255 bytes; after that error,
    ///   nothing has changed, and the transaction can continue. Also what every change throws
    ///   (``WriteTransaction``).
    /// - Complexity: one lookup in the catalog. The next checkpoint visits every branch page of the
    ///   tree, and every leaf if the tree has large values. A transaction that has outgrown the log
    ///   does that work itself, at once.
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

    /// Renames a tree.
    ///
    /// This transaction's handles to the tree stay valid.
    ///
    /// - Parameters:
    ///   - name: the current name.
    ///   - newName: the new name, of 1 to 255 bytes.
    /// - Throws: `treeNotFound` if no tree has the current name; `treeExists` if a tree already has
    ///   the new name, even if it is the same tree; `invalidArgument` if a name is empty or too
    ///   long. After these errors, nothing has changed, and the transaction can continue. Also what
    ///   every change throws (``WriteTransaction``).
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
    /// Throws `treeExists` if a tree has the name.
    fileprivate func checkFree(
        _ name: some ByteSource, _ refusal: @autoclosure () -> String
    ) throws(BullaError) {
        guard try treeIfPresent(named: name) == nil else {
            throw BullaError(.treeExists, refusal())
        }
    }
}
