internal import BullaMemory

/// Seals pages of the trees anew, under the newest secret.
struct TreeReseal {
    let change: TreeChange

    private var pages: ChangedPages { change.pages }

    /// Seals a portion of the pages anew, from `start` on.
    ///
    /// - Parameters:
    ///   - start: where the last portion ended; `nil` to begin at the first tree.
    func reseal(
        from start: ResealPass.Position?, _ pass: inout ResealPass
    ) throws(BullaError) {
        var start = start ?? ResealPass.Position(tree: [])
        while let name = try nextTree(from: start.tree) {
            let tree = try name.withTypedView { name throws(BullaError) in
                try change.openTree(name)
            }
            let key = name == start.tree ? start.key : nil
            if let tree { try reseal(tree, name, from: key, &pass) }
            if pass.next != nil { return }
            // The smallest name after this one.
            start = ResealPass.Position(tree: name + [0])
        }
        try reseal(OpenTrees.catalog, nil, from: start.tree == nil ? start.key : nil, &pass)
    }

    /// The first tree name from `name` on; `nil` if only the catalog is left.
    ///
    /// If `name` is `nil`, it stands for the catalog, which comes last.
    private func nextTree(from name: [UInt8]?) throws(BullaError) -> [UInt8]? {
        guard let name else { return nil }
        var found: [UInt8]?
        let range = KeyRange.from([CatalogKey.treeMark] + name, upTo: [CatalogKey.treeMark + 1])
        try CatalogRecords(pages: pages).scanCatalog(range) { key, _ throws(BullaError) in
            found = key.slice(1, key.byteCount - 1).copied()
            return .stop
        }
        return found
    }

    private func reseal(
        _ tree: Int, _ name: [UInt8]?, from key: [UInt8]?, _ pass: inout ResealPass
    ) throws(BullaError) {
        let root = pages.trees[tree].root
        guard !root.pointer.isNone else { return }
        try pages.checkHeight(root)
        if pass.isSpent {
            pass.next = ResealPass.Position(tree: name, key: key)
            return
        }
        var walk = ResealWalk(tree: tree, hasValues: root.largeCount > 0, from: key)
        let pointer = try reseal(root.pointer, level: root.height - 1, &walk, &pass)
        if pointer != root.pointer { pages.editor(of: tree).setRoot(pointer, height: root.height) }
        if let key = walk.next { pass.next = ResealPass.Position(tree: name, key: key) }
    }

    /// The walk through one tree.
    private struct ResealWalk {
        let tree: Int
        let hasValues: Bool
        /// The key to begin at; `nil` once the leaf for that key is found.
        var from: [UInt8]?
        /// The key at which the next transaction continues.
        var next: [UInt8]?
    }

    /// Seals a page and the pages below it anew, until the portion is complete.
    ///
    /// - Returns: the pointer to the page as it is afterwards.
    private func reseal(
        _ pointer: PagePointer, level: Int, _ walk: inout ResealWalk, _ pass: inout ResealPass
    ) throws(BullaError) -> PagePointer {
        var pointer = pointer
        pass.visitCount += 1
        let isChanged = pointer.dirtyIndex(token: pages.dirtyToken) != nil
        if !isChanged, try pass.isFormer(pointer, pages.pager) {
            pointer = try changed(pointer, level, walk.tree)
            pass.count += 1
        }
        if level > 0 { return try resealChildren(of: pointer, level, &walk, &pass) }
        walk.from = nil
        return walk.hasValues ? try resealValues(of: pointer, walk.tree, &pass) : pointer
    }

    private func changed(
        _ pointer: PagePointer, _ level: Int, _ tree: Int
    ) throws(BullaError) -> PagePointer {
        .dirty(try pages.writable(pointer, level: level, in: tree), token: pages.dirtyToken)
    }

    private func resealChildren(
        of pointer: PagePointer, _ level: Int, _ walk: inout ResealWalk, _ pass: inout ResealPass
    ) throws(BullaError) -> PagePointer {
        var pointer = pointer
        let (first, count) = try children(of: pointer, level, from: walk.from)
        for index in first..<count {
            if pass.isSpent, index > first {
                if walk.next == nil { walk.next = try separator(index, of: pointer, level) }
                break
            }
            let child = try self.child(index, of: pointer, level)
            let resealed = try reseal(child, level: level - 1, &walk, &pass)
            if resealed != child {
                pointer = try changed(pointer, level, walk.tree)
                guard let page = pointer.dirtyIndex(token: pages.dirtyToken) else {
                    preconditionFailure("a changed page has an index")
                }
                pages.editor(page).setChild(index, resealed)
            }
            if walk.next != nil { break }
        }
        return pointer
    }

    /// The first child that the walk still has to visit, and how many children the branch has.
    private func children(
        of pointer: PagePointer, _ level: Int, from key: [UInt8]?
    ) throws(BullaError) -> (first: Int, count: Int) {
        try pages.operate { () throws(BullaError) in
            let page = try pages.treePage(pointer, level: level)
            let count = page.count
            guard let key else { return (0, count) }
            let first = try key.withTypedView { page.childIndex(for: $0) }
            return (min(first, count), count)
        }
    }

    private func child(
        _ index: Int, of pointer: PagePointer, _ level: Int
    ) throws(BullaError) -> PagePointer {
        try pages.operate { () throws(BullaError) in
            let page = try pages.treePage(pointer, level: level)
            let child = page.child(index)
            guard !child.isNone else {
                throw pages.defect(pointer, "it names no page")
            }
            return child
        }
    }

    private func separator(
        _ index: Int, of pointer: PagePointer, _ level: Int
    ) throws(BullaError) -> [UInt8] {
        try pages.operate { () throws(BullaError) in
            try pages.treePage(pointer, level: level).key(index).copied()
        }
    }
}

extension TreeReseal {
    /// Writes each large value of a leaf anew, if the value's root page was sealed under a former
    /// secret.
    private func resealValues(
        of pointer: PagePointer, _ tree: Int, _ pass: inout ResealPass
    ) throws(BullaError) -> PagePointer {
        let values = try pages.operate { () throws(BullaError) in
            let page = try pages.treePage(pointer, level: 0)
            return (0..<page.count).filter { page.isLarge($0) }
                .map { (index: $0, value: LargeValue(page.payload($0))) }
        }
        var pointer = pointer
        for (index, value) in values where try pass.isFormer(value.root, pages.pager) {
            let copy = try rewrite(value, &pass)
            let leaf = try pages.writable(pointer, level: 0, in: tree)
            pointer = .dirty(leaf, token: pages.dirtyToken)
            var budget = VisitBudget(pageCount: try pages.pageLimit())
            try pages.forEachPage(of: value, &budget) { page, _ in pages.release(page) }
            var payload = [UInt8](repeating: 0, count: LargeValue.descriptorByteCount)
            try payload.withMutableView { payload throws(BullaError) in
                copy.write(payload)
                let word = pages.page(leaf).valueWord(index)
                pages.editor(leaf).overwritePayload(index, word: word, payload: payload.view)
            }
        }
        return pointer
    }

    /// Writes a value's bytes to new pages.
    private func rewrite(
        _ value: LargeValue, _ pass: inout ResealPass
    ) throws(BullaError) -> LargeValue {
        var writer = try LargeValueWriter(pages)
        let buffer = try Buffer.make(1 << 18)
        do throws(BullaError) {
            var position: UInt64 = 0
            while position < value.byteCount {
                let count = Int(min(value.byteCount - position, UInt64(buffer.bytes.byteCount)))
                let part = buffer.bytes.slice(0, count)
                try pages.pager.read(value, at: position, into: part)
                try writer.append(part.view)
                position += UInt64(count)
                pass.count += max(count / pages.format.contentByteCount, 1)
            }
            return try writer.finish()
        } catch {
            writer.abandon()
            throw error
        }
    }
}
