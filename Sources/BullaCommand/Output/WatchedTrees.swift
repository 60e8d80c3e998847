internal import Bulla

/// The names of trees by number, and which trees are watched.
struct WatchedTrees {
    private var names: [Int: [UInt8]] = [:]
    /// The numbers of the watched trees; `nil` for all.
    private var chosen: Set<Int>?
    /// The name by which a tree was chosen; a tree that gets this name later is watched, too.
    private var wanted: TreeName?

    init(_ store: Store) throws { try read(store) }

    /// Reads the current names.
    mutating func read(_ store: Store) throws {
        names = try store.read { snapshot in
            var names: [Int: [UInt8]] = [:]
            try snapshot.forEachTree { name, tree in names[tree.number] = [UInt8](copying: name) }
            return names
        }
        for (number, name) in names where name == wanted?.bytes { chosen?.insert(number) }
    }

    /// Watches only the tree with this name, and every tree that gets the name later.
    ///
    /// - Parameter store: the store, for the message.
    /// - Throws: ``CommandExit/notFound`` if no tree has that name.
    mutating func choose(_ name: TreeName, of store: String) throws {
        guard let number = names.first(where: { $0.value == name.bytes })?.key else {
            throw CommandError(
                missing: name, of: store, among: names.values.map { TreeName(bytes: $0) })
        }
        (chosen, wanted) = ([number], name)
    }

    /// The name of a tree; `nil` if the tree was dropped, or its name is not known.
    func name(of tree: Int) -> [UInt8]? { names[tree] }

    /// Updates the names with a change.
    ///
    /// - Returns: whether the change concerns a watched tree.
    mutating func take(_ operation: CommittedOperation) -> Bool {
        switch operation {
        case .createTree(let tree, let name), .renameTree(let tree, _, let name):
            let name = name.withBytes { [UInt8](copying: $0) }
            names[tree] = name
            if name == wanted?.bytes { chosen?.insert(tree) }
        case .dropTree(let tree, _): names[tree] = nil
        case .put, .delete: break
        }
        return chosen?.contains(operation.treeNumber) ?? true
    }
}
