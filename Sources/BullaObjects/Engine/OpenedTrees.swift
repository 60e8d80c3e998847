package import Bulla
internal import Synchronization

/// The trees that a snapshot or a transaction has opened, each once.
package final class OpenedTrees: Sendable {
    private let trees = Mutex<[Int: Tree]>([:])

    /// The tree of a number.
    ///
    /// - Throws: `damaged` where there is none, though the schema names it.
    package func tree<Reader: TreeReader & ~Copyable>(
        _ number: Int, in reader: borrowing Reader
    ) throws(ObjectError) -> Tree {
        if let tree = trees.withLock({ $0[number] }) { return tree }
        let tree: Tree?
        do {
            tree = try reader.treeIfPresent(named: ObjectTable.treeName(number))
        } catch {
            throw ObjectError(error)
        }
        guard let tree else {
            throw ObjectError(
                .damaged, "open tree \(number): the schema names it, and it is not there")
        }
        trees.withLock { $0[number] = tree }
        return tree
    }
}
