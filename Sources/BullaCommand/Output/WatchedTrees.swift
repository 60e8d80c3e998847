internal import Bulla

/// The names of trees, by number, and which of the trees are watched.
struct WatchedTrees {
    private var names: [Int: [UInt8]] = [:]
    /// The numbers of the trees that are watched; `nil` for all.
    private var chosen: Set<Int>?
    /// What a tree is named that is watched from then on.
    private var wanted: TreeName?

    init(_ store: Store) throws { try read(store) }

    /// Reads the names that there are now.
    mutating func read(_ store: Store) throws {
        names = try store.read { snapshot in
            var names: [Int: [UInt8]] = [:]
            try snapshot.forEachTree { name, tree in names[tree.number] = [UInt8](copying: name) }
            return names
        }
        for (number, name) in names where name == wanted?.bytes { chosen?.insert(number) }
    }

    /// Watches one tree alone, and those that get its name.
    ///
    /// - Parameter store: the store, for the message.
    /// - Throws: ``CommandExit/notFound`` where there is none of that name.
    mutating func choose(_ name: TreeName, of store: String) throws {
        guard let number = names.first(where: { $0.value == name.bytes })?.key else {
            throw CommandError(
                missing: name, of: store, among: names.values.map { TreeName(bytes: $0) })
        }
        (chosen, wanted) = ([number], name)
    }

    /// The name that a tree has; `nil` where it has none any more, or where it is not known.
    func name(of tree: Int) -> [UInt8]? { names[tree] }

    /// Takes over what a change says of names.
    ///
    /// - Returns: whether the change is one of a tree that is watched.
    mutating func take(_ operation: CommittedOperation) -> Bool {
        switch operation {
        case .createTree(let tree, let name), .renameTree(let tree, _, let name):
            let name = name.withBytes { [UInt8](copying: $0) }
            names[tree] = name
            if name == wanted?.bytes { chosen?.insert(tree) }
        case .dropTree(let tree, _): names[tree] = nil
        case .put, .delete: break
        }
        return chosen?.contains(operation.tree) ?? true
    }
}
