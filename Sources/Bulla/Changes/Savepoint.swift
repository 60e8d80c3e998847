internal import BullaMemory

/// A moment of a write transaction that it can be put back to.
///
/// Pages that were changed before it are frozen: who changes one again changes a copy. So putting
/// back costs no reading, and cannot fail.
struct Savepoint {
    /// Pages made from here on carry this number or a higher one.
    let number: UInt64
    /// The savepoint around this one; 0 where there is none.
    fileprivate let outer: UInt64
    fileprivate let trees: [WriteState.OpenTree]
    fileprivate let treeIndex: [ByteView: Int]
    fileprivate let freedCount: Int
    fileprivate let space: PageSpace
    fileprivate let treeCount: UInt64
    fileprivate let usedCount: Int
    fileprivate let supersededCount: Int
    fileprivate let heldBackCount: Int
}

extension WriteState {
    /// Whether the page belongs to what a savepoint may have to put back.
    func isFrozen(_ index: Int) -> Bool { dirty(index).madeAfter < openSavepoint }

    func beginSavepoint() -> Savepoint {
        let savepoint = Savepoint(
            number: savepointCount + 1, outer: openSavepoint, trees: trees, treeIndex: treeIndex,
            freedCount: freed.count, space: space, treeCount: treeCount,
            usedCount: memory.usedCount, supersededCount: superseded.count,
            heldBackCount: heldBack.count)
        savepointCount = savepoint.number
        openSavepoint = savepoint.number
        return savepoint
    }

    /// Lets what was changed since stand.
    func endSavepoint(_ savepoint: Savepoint) {
        openSavepoint = savepoint.outer
        if openSavepoint == 0 { endSavepoints() }
    }

    /// Lets everything stand, and gives up what was kept for putting back.
    func endSavepoints() {
        openSavepoint = 0
        for index in superseded { memory.free(index) }
        superseded.removeAll(keepingCapacity: true)
        space.returned += heldBack
        heldBack.removeAll(keepingCapacity: true)
    }

    /// Undoes what was changed since.
    func rollBack(to savepoint: Savepoint) {
        // The numbers of pages that are still being written are free from here on.
        dropWrites()
        memory.freeAll(since: savepoint.usedCount)
        superseded.removeLast(superseded.count - savepoint.supersededCount)
        heldBack.removeLast(heldBack.count - savepoint.heldBackCount)
        freed.removeLast(freed.count - savepoint.freedCount)
        space = savepoint.space
        // What was freed may be durable by now: it is worth another look.
        if hasConfirmedFrees { (space.hasReclaimed, space.reclaimCount) = (false, 0) }
        reliefDue = 0
        treeCount = savepoint.treeCount
        treeIndex = savepoint.treeIndex
        trees = OpenTree.put(trees, backTo: savepoint.trees)
        endSavepoint(savepoint)
    }
}
