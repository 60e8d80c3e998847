package import Bulla
internal import Synchronization

/// The trees that a snapshot or a transaction has opened.
package final class OpenedTrees: Sendable {
    /// An array, because each read of an object searches it, and an array of a few trees is quick
    /// to search.
    private let trees = Mutex<[(number: Int, tree: Tree)]>([])

    /// The tree with this number.
    ///
    /// - Throws: `damaged` if the schema names the tree, but the store does not have it.
    package func tree<Reader: TreeReader & ~Copyable>(
        _ number: Int, in reader: borrowing Reader
    ) throws(ObjectError) -> Tree {
        let opened = trees.withLock { trees in trees.first { $0.number == number }?.tree }
        if let opened { return opened }
        let tree: Tree?
        do {
            tree = try reader.treeIfPresent(named: ObjectTable.treeName(number))
        } catch {
            throw ObjectError(error)
        }
        guard let tree else {
            throw ObjectError(
                .damaged, "open tree \(number): the schema names it, but it is not there")
        }
        trees.withLock { $0.append((number, tree)) }
        return tree
    }
}
