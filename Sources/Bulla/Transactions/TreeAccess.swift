internal import BullaMemory

/// What a snapshot or a write transaction reads from.
///
/// Not public, and no public verb gives it away: who had that of a transaction could read what it
/// has not committed, from another thread, and after its end.
final class TreeAccess: Sendable {
    let core: StoreCore
    let pager: Pager
    let pinned: PinnedCommit
    /// The transaction's changes; `nil` for a snapshot.
    let state: Uncommitted?

    /// A transaction's changes, which one thread at a time uses.
    struct Uncommitted: @unchecked Sendable {
        // `@unchecked`: a write transaction is noncopyable and not sendable, and only it hands this
        // out.
        let state: WriteState
    }

    init(_ core: StoreCore, _ pinned: PinnedCommit, state: WriteState? = nil) {
        self.core = core
        pager = core.pager
        self.pinned = pinned
        self.state = state.map { Uncommitted(state: $0) }
    }

    deinit {
        if state == nil { core.unpin(pinned) }
        core.forgetOutsideTasks()
    }

    var commit: UInt64 { state?.state.commit ?? pinned.commit }

    /// The transaction's changes; `nil` for a snapshot.
    ///
    /// - Throws: `invalidArgument` when the transaction has ended.
    @inline(__always)
    private func changes() throws(BullaError) -> WriteState? {
        guard let state = state?.state else { return nil }
        if state.isEnded { throw ended }
        return state
    }

    private var ended: BullaError {
        BullaError(
            .invalidArgument,
            "use a write transaction of \(core.parts.path): it has ended, as commit \(commit) or "
                + "without a trace")
    }

    @inline(__always)
    var scope: Tree.Scope {
        Tree.Scope(
            store: ObjectIdentifier(core), commit: commit, turn: state?.state.turn ?? 0)
    }

    /// Runs a read, and tells of pages that are gone because the snapshot was ended.
    @inline(__always)
    func reading<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = try core.enter()
        defer { core.gate.leave(entry) }
        do throws(BullaError) {
            let result = try body()
            if pager.isPlain { try checkClaim() }
            return result
        } catch { throw explained(error) }
    }

    /// The same for a read that runs a caller's closure, whose errors come out as they are.
    @inline(__always)
    func lending<R>(_ body: () throws -> R) throws -> R {
        let entry = try core.enter()
        defer { core.gate.leave(entry) }
        do {
            let result = try body()
            if pager.isPlain { try checkClaim() }
            return result
        } catch let error as CallersError {
            throw error.error
        } catch let error as BullaError {
            throw explained(error)
        }
    }

    /// Runs the caller's closure inside of ``lending(_:)``.
    @inline(__always)
    static func callers<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch { throw CallersError(error: error) }
    }

    /// An error of a caller's closure, on its way through what the store itself may throw.
    private struct CallersError: Error { let error: any Error }

    /// For scans of a plain store: asked after each leaf, before the next one is lent.
    var checkClaimAfterLeaf: (() throws(BullaError) -> Void)? {
        guard pager.isPlain else { return nil }
        return { [self] () throws(BullaError) in try checkClaim() }
    }

    /// Refuses what was read in the mapping of a plain store while the snapshot's claim did not
    /// stand: writers may have used its pages again.
    @inline(__always)
    private func checkClaim() throws(BullaError) {
        guard core.slots.isHeld(pinned) else { throw expired }
    }

    /// Refuses a snapshot whose pages writers may have taken.
    func checkExpiry() throws(BullaError) {
        if core.slots.isExpired(pinned) || !core.slots.isHeld(pinned) { throw expired }
    }

    @inline(never)
    private func explained(_ error: BullaError) -> BullaError {
        guard error.code == .corrupted, state == nil else { return error }
        let isExpired = core.slots.isExpired(pinned) || !core.slots.isHeld(pinned)
        return isExpired ? expired : error
    }

    private var expired: BullaError {
        BullaError(
            .snapshotExpired,
            "read commit \(pinned.commit) of \(core.parts.path): the snapshot was ended, because "
                + "writers needed its pages, or because somebody wrote over its slot in the "
                + "coordination file",
            commit: pinned.commit)
    }

    /// The tree's root, if the handle is one of this transaction's.
    @inline(__always)
    func root(_ tree: Tree) throws(BullaError) -> TreeRoot {
        try core.checkAlive()
        guard tree.scope == scope else {
            throw BullaError(
                .invalidArgument,
                "use a tree of \(core.parts.path): it was opened in another transaction (commit "
                    + "\(tree.scope.commit)), this one is of commit \(commit); open it by its "
                    + "name in this one")
        }
        guard let state = try changes() else { return tree.root }
        guard !state.trees[tree.index].isDropped else {
            throw BullaError(
                .treeNotFound,
                "use a tree of \(core.parts.path): it was dropped in this transaction, or opened "
                    + "in a part of it that was undone")
        }
        return state.trees[tree.index].root
    }

    /// - Throws: `treeNotFound`, without the name: names of trees are as secret as keys, and errors
    ///   end up in logs.
    func existingTree(named name: ByteView) throws(BullaError) -> Tree {
        if let tree = try tree(named: name) { return tree }
        throw BullaError(
            .treeNotFound,
            "open a tree of \(core.parts.path): commit \(commit) has none of the name that was "
                + "asked for; createTree(named:) makes one")
    }

    func tree(named name: ByteView) throws(BullaError) -> Tree? {
        try Limits.checkTreeName(name, of: core.parts.path)
        if let state = try changes() {
            guard let index = try state.openTree(name) else { return nil }
            return Tree(changed: state.trees[index].root, index: index, scope: scope)
        }
        let root = try reading { () throws(BullaError) in
            try name.withCopy(after: CatalogKey.treeMark) { key throws(BullaError) in
                try pager.find(pinned.catalog, key) { page, index in
                    TreeRootLayout.read(page.payload(index))
                }
            }
        }
        return root.map { Tree(root: $0, scope: scope) }
    }

    /// Visits every tree by name.
    func forEachTree(_ body: (ByteView, Tree) throws -> Void) throws {
        if let state = try changes() {
            let scan = TreeScan(
                source: state, root: state.trees[WriteState.catalog].root,
                range: CatalogKey.trees, order: .ascending)
            // Nobody changes the catalog meanwhile: the transaction is lent for reading.
            return try scan.run { key, _ in
                let name = key.slice(1, key.byteCount - 1)
                if let tree = try tree(named: name) { try body(name, tree) }
                return .next
            }
        }
        let scan = TreeScan(
            source: pager, root: pinned.catalog, range: CatalogKey.trees, order: .ascending,
            checkUse: checkClaimAfterLeaf)
        try lending {
            try scan.run { key, value in
                let tree = Tree(root: TreeRootLayout.read(value), scope: scope)
                try Self.callers { try body(key.slice(1, key.byteCount - 1), tree) }
                return .next
            }
        }
    }

    func copyValue(_ tree: Tree, _ key: ByteView) throws(BullaError) -> [UInt8]? {
        let root = try root(tree)
        if let state = state?.state { return try state.copyValue(root, key) }
        return try reading { () throws(BullaError) in try pager.copyValue(root, key) }
    }

    func copyValues(_ tree: Tree, _ keys: [[UInt8]]) throws(BullaError) -> [[UInt8]?] {
        let root = try root(tree)
        if let state = state?.state { return try state.copyValues(root, keys) }
        return try reading { () throws(BullaError) in try pager.copyValues(root, keys) }
    }

    func contains(_ tree: Tree, _ key: ByteView) throws(BullaError) -> Bool {
        let root = try root(tree)
        if let state = state?.state { return try state.find(root, key) { _, _ in true } ?? false }
        return try reading { () throws(BullaError) in
            try pager.find(root, key) { _, _ in true } ?? false
        }
    }

    func valueByteCount(_ tree: Tree, _ key: ByteView) throws(BullaError) -> UInt64? {
        let root = try root(tree)
        if let state = state?.state { return try state.valueByteCount(root, key) }
        return try reading { () throws(BullaError) in try pager.valueByteCount(root, key) }
    }

    @inline(__always)
    func withValue<R>(
        _ tree: Tree, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        let root = try root(tree)
        if let state = state?.state { return try state.lendValue(root, key, body) }
        return try lending {
            try pager.lendValue(root, key) { value in try Self.callers { try body(value) } }
        }
    }

    /// Where a value's bytes are to be read from: its own, or a large one.
    func found(_ tree: Tree, _ key: ByteView) throws(BullaError) -> FoundValue? {
        let root = try root(tree)
        if let state = state?.state { return try state.value(root, key) }
        return try reading { () throws(BullaError) in try pager.value(root, key) }
    }

    func scan(
        _ tree: Tree, _ range: KeyRange, _ order: ScanOrder,
        _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws {
        let root = try root(tree)
        if let state = state?.state {
            try TreeScan(source: state, root: root, range: range, order: order).run(body)
        } else {
            try lending {
                let scan = TreeScan(
                    source: pager, root: root, range: range, order: order,
                    checkUse: checkClaimAfterLeaf)
                try scan.run { key, value in try Self.callers { try body(key, value) } }
            }
        }
    }
}

extension TreeAccess {
    func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics {
        let root = try root(tree)
        if let state = try changes() {
            // Changed pages have no number yet.
            let limit = state.space.pageCount + UInt64(state.memory.arena.count)
            var census = TreeCensus(state, root, pageLimit: limit)
            return try census.run()
        }
        return try reading { () throws(BullaError) in
            var census = TreeCensus(
                pager, root, pageLimit: try pager.pageLimit(), checkUse: checkClaimAfterLeaf)
            return try census.run()
        }
    }
}

extension Pager {
    /// Lends a value in place, while its frame is held.
    @inline(__always)
    func lendValue<R>(
        _ root: TreeRoot, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        guard !root.pointer.isNone else { return nil }
        if !isPlain { Epoch.enter() }
        let leaf: PagePointer
        let page: TreePage
        let index: Int
        do throws(BullaError) {
            leaf = try leafPointer(of: root, for: key)
            page = try treePage(leaf, level: 0)
            let (found, isFound) = page.search(key)
            index = isFound ? found : -1
        } catch {
            if !isPlain { Epoch.leave() }
            try checkFaults()
            throw error
        }
        guard index >= 0, !page.isLarge(index) else {
            return try lendAbsentOrLarge(page, index, leaf, body)
        }
        let result = try holding(page.bytes, page.payload(index), body)
        try checkUnchanged(leaf)
        if isPlain { try checkFaults() }
        return result
    }

    @inline(never)
    private func lendAbsentOrLarge<R>(
        _ page: TreePage, _ index: Int, _ leaf: PagePointer, _ body: (ByteView) throws -> R
    ) throws -> R? {
        let value = index < 0 ? nil : LargeValue(page.payload(index))
        if isPlain { try checkFaults() } else { Epoch.leave() }
        try checkUnchanged(leaf)
        return try value.map { try lendWhole($0, body) }
    }
}

extension WriteState {
    /// Lends a copy of a value.
    func lendValue<R>(
        _ root: TreeRoot, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        guard let value = try value(root, key) else { return nil }
        defer { giveBack(value) }
        switch value {
        case .short(let buffer, let byteCount):
            return try body(buffer.bytes.view.slice(0, byteCount))
        case .large(let value): return try lendWhole(value, body)
        case .kept(let bytes): return try body(bytes)
        }
    }
}
