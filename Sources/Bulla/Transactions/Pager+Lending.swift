internal import BullaMemory

extension Pager {
    /// Lends a key's value: in place if it is in a leaf, with the leaf's frame held until `body`
    /// returns; as a copy if it is large.
    @inline(__always)
    func lendValue<R>(
        _ root: TreeRoot, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        guard !root.pointer.isNone else { return nil }
        return try lendValue(key, body) { () throws(BullaError) in
            try leafPointer(of: root, for: key)
        }
    }

    /// Lends the value of a key from the leaf that `find` returns; runs `find` inside an operation.
    @inline(__always)
    private func lendValue<R>(
        _ key: ByteView, _ body: (ByteView) throws -> R,
        in find: () throws(BullaError) -> PagePointer
    ) throws -> R? {
        if !isPlain { Epoch.enter() }
        let leaf: PagePointer
        let page: TreePage
        let index: Int
        do throws(BullaError) {
            leaf = try find()
            page = try treePage(leaf, level: 0)
            index = page.entry(of: key) ?? -1
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

    /// Lends the values of many keys in the order of the list, each with its key's place in the
    /// list; lends `nil` for a missing key.
    func lendValues(
        _ root: TreeRoot, under changes: MemtablePair?, _ keys: [[UInt8]],
        _ body: (Int, ByteView?) throws -> Void
    ) throws {
        try KeyGroup.forEach(of: keys) { group in
            guard let changes, !changes.isEmpty else {
                return try lendValues(root, of: &group, body)
            }
            try lendValues(root, under: changes, of: &group, body)
        }
    }

    @inline(__always)
    private func lendValues(
        _ root: TreeRoot, of group: inout KeyGroup, _ body: (Int, ByteView?) throws -> Void
    ) throws {
        try operate { () throws(BullaError) in try goToLeaves(of: root, &group) }
        for index in 0..<group.count {
            let place = group.place(index)
            try lendValue(group.key(index), at: group.pages[index]) { try body(place, $0) }
        }
    }

    /// Lends the values of a group's keys: looks first in the memtables, and then looks in the tree
    /// for the keys that the memtables lack.
    private func lendValues(
        _ root: TreeRoot, under changes: MemtablePair, of group: inout KeyGroup,
        _ body: (Int, ByteView?) throws -> Void
    ) throws {
        let places = group.place(0)..<group.place(0) + group.count
        var known = InlineArray<16, MemtableChange?>(repeating: nil)
        changes.take(from: &group, in: root.number) { place, change in
            known[place - places.lowerBound] = change
        }
        try operate { () throws(BullaError) in try goToLeaves(of: root, &group) }
        var unknownCount = 0
        for place in places {
            switch known[place - places.lowerBound] {
            case .put(let value): try body(place, value)
            case .tombstone: try body(place, nil)
            case nil:
                let (key, leaf) = (group.key(unknownCount), group.pages[unknownCount])
                try lendValue(key, at: leaf) { try body(place, $0) }
                unknownCount += 1
            }
        }
    }

    /// Lends the value of a key from a leaf, or `nil` if the leaf does not have the key.
    private func lendValue(
        _ key: ByteView, at leaf: PagePointer, _ body: (ByteView?) throws -> Void
    ) throws {
        let isThere: Void? =
            leaf.isNone ? nil : try lendValue(key, body) { () throws(BullaError) in leaf }
        if isThere == nil { try body(nil) }
    }

    /// Lends a key's value: in a memtable's memory, in a leaf's frame, or as a copy of a large
    /// value.
    ///
    /// A leaf's frame is held until `body` returns.
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
    /// Lends a value: in a memtable's memory, or as a copy.
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
