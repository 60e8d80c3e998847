internal import BullaMemory

/// A writer's changes on top of those in the log, indexed as they are made; nobody else sees them.
///
/// To abandon the changes, drop the edit.
package struct LogEdit: ~Copyable {
    /// The sequence number of a half's use; the edit changes the memtable of that half.
    let sequence: UInt64
    /// Whether versions of former commits take more memory than they should.
    let isCrowded: Bool
    private let memtable: Memtable
    private var edit: MemtableEdit
    private let older: HeldVersion
    /// The trees beneath must contain every commit up to this one.
    let origin: UInt64
    /// The number of the next new tree, as far as the log tells.
    package private(set) var nextTree: UInt64

    /// - Parameters:
    ///   - older: the changes in the older half; an empty version if there is no older half.
    ///   - budget: the limit on a transaction's memory; `nil` for a commit that is in the log
    ///     already.
    ///   - origin: the last commit before those in the two halves.
    init(
        _ memtable: Memtable, sequence: UInt64, over older: consuming HeldVersion,
        within budget: MemtableBudget? = nil, origin: UInt64, nextTree: UInt64
    ) throws(BullaError) {
        isCrowded = budget.map { memtable.isCrowded(above: $0.versions) } ?? false
        do throws(MemtableError) {
            edit = try memtable.edit(pageByteLimit: budget?.transaction ?? .max)
        } catch {
            throw BullaError.memtable("index changes", error)
        }
        self.memtable = memtable
        self.sequence = sequence
        self.older = older
        self.origin = origin
        self.nextTree = nextTree
    }

    /// Whether the edit was made for this half's memtable, and for the use of the half in which
    /// `end` lies.
    func changes(_ half: HalfMemtable, upTo end: LogPosition) -> Bool {
        memtable === half.memtable && sequence == end.place.sequence
    }

    /// The changes in the log together with those of this edit; valid until the edit's next change.
    @inline(__always)
    package var pair: MemtablePair { MemtablePair(newer: edit.view, older: older.view) }

    /// Makes a change.
    ///
    /// The catalog is the tree with number 0. A memtable's catalog maps a tree's name to an empty
    /// root, which only gives the tree's number. The real root is in the file's catalog, unless the
    /// tree was created in the log.
    ///
    /// - Throws: `outOfMemory`; `corrupted` for a name that no tree can have. Then nothing has
    ///   changed.
    package mutating func apply(_ operation: LogOperation) throws(BullaError) {
        switch operation {
        case .put(let tree, let key, let value): try put(MemtableKey(tree: tree, key), value)
        case .delete(let tree, let key): try put(MemtableKey(tree: tree, key), nil)
        case .createTree(let number, let name): try putName(name, number)
        case .dropTree(_, let name): try putName(name, nil)
        case .renameTree(let number, let name, let newName):
            let mark = try mark()
            do throws(BullaError) {
                try putName(name, nil)
                try putName(newName, number)
            } catch {
                cut(to: mark)
                throw error
            }
        }
    }

    private mutating func putName(_ name: ByteView, _ number: UInt64?) throws(BullaError) {
        let root = number.map { TreeRootLayout.bytes(.empty(number: $0)) }
        let isName: Void? = try CatalogKey.withTree(name) { key throws(BullaError) in
            let key = MemtableKey(tree: TreeRoot.catalogNumber, key)
            guard let root else { return try put(key, nil) }
            try root.withTypedView { root throws(BullaError) in try put(key, root) }
        }
        guard isName != nil else {
            throw BullaError(.corrupted, "index changes of the log: a tree's name is too long")
        }
        if let number { nextTree = max(nextTree, number &+ 1) }
    }

    private mutating func put(_ key: MemtableKey, _ value: ByteView?) throws(BullaError) {
        do throws(MemtableError) { try edit.put(key, value) } catch {
            throw BullaError.memtable("index changes", error)
        }
    }

    /// A state of the edit, to go back to.
    package struct Mark {
        fileprivate let memtable: MemtableMark
        fileprivate let nextTree: UInt64
    }

    package mutating func mark() throws(BullaError) -> Mark {
        do throws(MemtableError) {
            return Mark(memtable: try edit.mark(), nextTree: nextTree)
        } catch {
            throw BullaError.memtable("mark a point to go back to", error)
        }
    }

    /// Goes back to a mark of this edit; the mark stays valid, but later marks do not.
    ///
    /// The number of the next tree goes back too, because it must follow from the log's frames
    /// alone.
    package mutating func cut(to mark: Mark) {
        invariant(mark.nextTree <= nextTree, "an edit goes back to what it was before")
        edit.cut(to: mark.memtable)
        nextTree = mark.nextTree
    }

    /// Turns the edit into a version that others can hold.
    consuming func publish() -> HalfMemtable.State {
        let nextTree = nextTree
        return HalfMemtable.State(version: edit.publish(), nextTree: nextTree)
    }
}
