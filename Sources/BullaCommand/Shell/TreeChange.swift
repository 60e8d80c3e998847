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
    /// - Throws: ``CommandExit/notFound`` where there is no such tree; `treeExists` where the new
    ///   name of a tree is taken.
    func apply(to change: inout WriteTransaction, of store: String) throws -> Int {
        switch self {
        case .put(let name, let key, let value):
            try change.put(value, forKey: key, in: change.openOrCreateTree(named: name))
        case .delete(let name, let key):
            return try change.deleteIfPresent(key, in: change.tree(named: name, of: store)) ? 1 : 0
        case .deleteRange(let name, let bounds):
            return try change.deleteRange(bounds.range, in: change.tree(named: name, of: store))
        case .create(let name): try change.openOrCreateTree(named: name)
        case .drop(let name):
            _ = try change.tree(named: name, of: store)
            try change.dropTree(named: name)
        case .rename(let name, let newName):
            _ = try change.tree(named: name, of: store)
            try change.renameTree(named: name, to: newName)
        }
        return 0
    }
}
