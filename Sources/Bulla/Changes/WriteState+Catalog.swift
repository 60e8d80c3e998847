internal import BullaMemory

extension WriteState {
    func catalogValue(_ key: [UInt8]) throws(BullaError) -> [UInt8]? {
        try key.withTypedView { key throws(BullaError) in
            try copyValue(trees[Self.catalog].root, key)
        }
    }

    func putCatalog(_ key: [UInt8], _ value: [UInt8]) throws(BullaError) {
        try key.withTypedView { key throws(BullaError) in
            try value.withTypedView { value throws(BullaError) in
                try putCell(Self.catalog, key, word: UInt32(value.byteCount), payload: value)
            }
        }
    }

    func deleteCatalog(_ key: [UInt8]) throws(BullaError) -> Bool {
        try key.withTypedView { key throws(BullaError) in try deleteCell(Self.catalog, key) }
    }

    /// Visits catalog entries.
    ///
    /// `body` must not change the catalog.
    func scanCatalog(
        _ range: KeyRange, _ body: (ByteView, ByteView) throws(BullaError) -> ScanStep
    ) throws(BullaError) {
        let scan = TreeScan(
            source: self, root: trees[Self.catalog].root, range: range, order: .ascending)
        do { try scan.run { key, value in try body(key, value) } } catch {
            throw error as? BullaError ?? defect(base.catalog.pointer, "\(error)")
        }
    }

    // MARK: Trees

    /// The transaction's number for a tree, or `nil` where there is no tree of that name.
    func openTree(_ name: ByteView) throws(BullaError) -> Int? {
        if let index = treeIndex[name] { return trees[index].isDropped ? nil : index }
        let found = try CatalogKey.withTree(name) { key throws(BullaError) in
            try find(trees[Self.catalog].root, key) { page, index in
                TreeRootLayout.read(page.payload(index))
            }
        }
        guard let root = found ?? nil else { return nil }
        guard root.pointer.birth <= base.commit else {
            throw defect(root.pointer, "its tree names a commit that is yet to come")
        }
        return add(OpenTree(name: try memory.keepName(name), root: root))
    }

    /// - Parameters:
    ///   - number: of a new tree that takes the place of another store's; `nil` gives it the next.
    func openOrCreateTree(
        named name: ByteView, number: UInt64? = nil
    ) throws(BullaError) -> Int {
        if let index = try openTree(name) { return index }
        let number = number ?? nextTree
        treeCount &+= 1
        nextTree = max(nextTree, number &+ 1)
        let index = add(
            OpenTree(
                name: try memory.keepName(name), root: .empty(number: number), isChanged: true))
        try putTreeRecord(index)
        return index
    }

    func dropTree(named name: ByteView) throws(BullaError) -> Bool {
        guard let index = try openTree(name) else { return false }
        try discardTree(index)
        try takeName(of: index)
        return true
    }

    /// Gives up all of a tree; its record in the catalog is the caller's to delete.
    func discardTree(_ index: Int) throws(BullaError) {
        try releaseAll(index)
        trees[index].isDropped = true
        trees[index].isChanged = true
        treeCount &-= 1
    }

    /// Gives a tree another name, which is free; who has it open goes on with it.
    func renameTree(_ index: Int, to newName: ByteView) throws(BullaError) {
        let name = try memory.keepName(newName)
        try takeName(of: index)
        try give(name, to: index)
    }

    /// Takes a tree's record out of the catalog.
    func takeName(of index: Int) throws(BullaError) {
        let isThere = try CatalogKey.withTree(trees[index].name) { key throws(BullaError) in
            try deleteCell(Self.catalog, key)
        }
        guard isThere == true else {
            throw defect(base.catalog.pointer, "a tree that was found is not in the catalog")
        }
        treeIndex[trees[index].name] = nil
    }

    /// Puts a tree that has no name into the catalog.
    ///
    /// - Parameter name: in the transaction's memory; no tree has it.
    func give(_ name: ByteView, to index: Int) throws(BullaError) {
        treeIndex[name] = index
        trees[index].name = name
        trees[index].isChanged = true
        // Sealing puts the tree's root in its place.
        try putTreeRecord(index)
    }

    /// Gives the trees that a transaction has opened the numbers that it has given them.
    ///
    /// - Parameter opened: with the catalog as the first.
    func arrange(as opened: [OpenTree]) throws(BullaError) {
        var (arranged, taken) = ([trees[Self.catalog]], Set([Self.catalog]))
        for var tree in opened.dropFirst() {
            tree.isDropped = true
            // Its bytes are another transaction's memory.
            tree.name = emptyView
            arranged.append(tree)
        }
        for (index, tree) in opened.enumerated().dropFirst() where !tree.isDropped {
            guard let found = try openTree(tree.name) else {
                throw defect(base.catalog.pointer, "it lacks a tree that the log names")
            }
            arranged[index] = trees[found]
            taken.insert(found)
        }
        arranged += trees.indices.filter { !taken.contains($0) }.map { trees[$0] }
        trees = arranged
        treeIndex = [:]
        for (index, tree) in trees.enumerated().dropFirst() where !tree.isDropped {
            treeIndex[tree.name] = index
        }
    }

    private func add(_ tree: OpenTree) -> Int {
        trees.append(tree)
        treeIndex[tree.name] = trees.count - 1
        return trees.count - 1
    }

    func putTreeRecord(_ index: Int) throws(BullaError) {
        let root = TreeRootLayout.bytes(trees[index].root)
        try CatalogKey.withTree(trees[index].name) { key throws(BullaError) in
            try root.withTypedView { root throws(BullaError) in
                try putCell(Self.catalog, key, word: UInt32(root.byteCount), payload: root)
            }
        }
    }
}
