internal import Bulla

/// One change that a line asks for.
enum TreeChange {
    case put(TreeName, key: [UInt8], value: [UInt8])
    case delete(TreeName, key: [UInt8])
    case deleteRange(TreeName, KeyBounds)
    case create(TreeName)
    case drop(TreeName)
    case rename(TreeName, to: TreeName)

    /// Makes the change.
    ///
    /// - Parameter store: the store, for messages.
    /// - Returns: how many entries were taken away; 0 for other changes.
    /// - Throws: ``CommandExit/notFound`` where there is no such tree; ``CommandExit/cannotCreate``
    ///   where the new name of a tree is taken.
    func apply(to change: inout WriteTransaction, of store: String) throws -> UInt64 {
        switch self {
        case .put(let name, let key, let value):
            try change.put(key, value, in: change.createTree(name))
        case .delete(let name, let key):
            return try change.delete(key, in: change.tree(name, of: store)) ? 1 : 0
        case .deleteRange(let name, let bounds):
            return try change.deleteRange(bounds.range, in: change.tree(name, of: store))
        case .create(let name): _ = try change.createTree(name)
        case .drop(let name):
            _ = try change.tree(name, of: store)
            _ = try change.dropTree(name)
        case .rename(let name, let newName):
            _ = try change.tree(name, of: store)
            guard try change.treeIfExists(newName) == nil else {
                throw CommandError(
                    .cannotCreate,
                    "rename a tree of \(store): there is a tree of the new name already")
            }
            try change.renameTree(name, to: newName)
        }
        return 0
    }
}
