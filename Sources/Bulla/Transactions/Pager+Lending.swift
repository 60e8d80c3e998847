internal import BullaMemory

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
            try mapping.checkFaults()
            throw error
        }
        guard index >= 0, !page.isLarge(index) else {
            return try lendAbsentOrLarge(page, index, leaf, body)
        }
        let result = try holding(page.bytes, page.payload(index), body)
        try checkUnchanged(leaf)
        if isPlain { try mapping.checkFaults() }
        return result
    }

    @inline(never)
    private func lendAbsentOrLarge<R>(
        _ page: TreePage, _ index: Int, _ leaf: PagePointer, _ body: (ByteView) throws -> R
    ) throws -> R? {
        let value = index < 0 ? nil : LargeValue(page.payload(index))
        if isPlain { try mapping.checkFaults() } else { Epoch.leave() }
        try checkUnchanged(leaf)
        return try value.map { try lendWhole($0, body) }
    }

    /// Lends a value in place: in the memtable's memory, or while its frame is held.
    @inline(__always)
    func lendValue<R>(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView,
        _ body: (ByteView) throws -> R
    ) throws -> R? {
        switch changes.change(of: key, in: root.number) {
        case nil: try lendValue(root, key, body)
        case .put(let value): try body(value)
        case .tombstone: nil
        }
    }
}

extension ChangedPages {
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
