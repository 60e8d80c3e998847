internal import BullaMemory

/// Visits the entries of a range in a tree and the memtables above it.
///
/// The scan compares the next changed key with each leaf once. If the key lies beyond the leaf, the
/// scan visits the leaf as ``TreeScan`` does. Otherwise it searches the leaf for each changed key,
/// and visits the entries between two changed keys together.
struct MergedScan<Source: PageSource> {
    let tree: TreeScan<Source>
    let changes: MemtablePair
    /// Called each time thousands of tombstones (deleted keys) have been passed in a row.
    var reportTombstones: (() -> Void)?

    /// Lends each entry's key and value, in place; a large value as a copy.
    @inline(__always)
    func run(_ body: (ByteView, ByteView) throws -> ScanStep) throws {
        var state = start()
        let step = try tree.forEachLeaf { page, entries, _ in
            try merge(page, entries, &state) { page, part in
                try tree.visit(page, part) { page, index in try tree.lend(page, index, body) }
            } change: { key, value in
                try body(key, value)
            }
        }
        if step == .next { try finish(&state, body) }
    }

    /// Lends the entries in runs: the entries of a leaf that lie between two changed keys form one
    /// run, and each changed entry is a run by itself.
    @inline(__always)
    func lendRuns(_ body: (ByteView, Span<EntryPlace>) throws -> ScanStep) throws {
        var state = start()
        var runs = EntryRuns()
        let step = try tree.forEachLeaf { page, entries, leaf in
            try merge(page, entries, &state) { page, part in
                try runs.lend(tree, page, part, of: leaf, body)
            } change: { key, value in
                try EntryRuns.lend(key, value, body)
            }
        }
        guard step == .next else { return }
        try finish(&state) { key, value in try EntryRuns.lend(key, value, body) }
    }

    /// How far the scan has come through the memtables' keys.
    private struct State {
        var changes: ChangeCursor
        var tombstones: TombstoneRun
    }

    private func start() -> State {
        var cursor = changes.cursor(tree: tree.root.number)
        switch tree.order {
        case .ascending: tree.range.lower.withView { cursor.seek(notBelow: $0) }
        case .descending:
            guard let upper = tree.range.upper else {
                cursor.moveToEnd(.descending)
                break
            }
            upper.withView { cursor.seek(notAbove: $0) }
            let isBound = cursor.isOnEntry && upper.withView { $0 == cursor.key }
            if isBound && !tree.range.includesUpper { cursor.step(.descending) }
        }
        return State(changes: cursor, tombstones: TombstoneRun(reportTombstones))
    }

    /// Visits a leaf's entries and the changed keys among them.
    ///
    /// - Parameters:
    ///   - visit: called for the entries between two changed keys.
    ///   - change: called for each value that the memtables put.
    private func merge(
        _ page: TreePage, _ entries: Range<Int>, _ state: inout State,
        visit: (TreePage, Range<Int>) throws -> ScanStep,
        change: (ByteView, ByteView) throws -> ScanStep
    ) throws -> ScanStep {
        var rest = entries
        var isNear = reaches(page, entries, state.changes)
        // When the merge compares key by key, only a prefetch makes the waits for memory overlap.
        if isNear { page.prefetchCells(entries, tree.order) }
        while isNear, !rest.isEmpty {
            let place = place(of: state.changes.key, in: page, rest)
            guard let before = cut(&rest, at: place) else { break }
            if !before.isEmpty {
                state.tombstones.end()
                guard try visit(page, before) == .next else { return .stop }
            }
            guard try visitChange(&state, change) == .next else { return .stop }
            isNear = state.changes.isOnEntry
        }
        guard !rest.isEmpty else { return .next }
        state.tombstones.end()
        return try visit(page, rest)
    }

    /// Whether the next changed key lies among a leaf's entries or before them.
    @inline(__always)
    private func reaches(
        _ page: TreePage, _ entries: Range<Int>, _ changes: borrowing ChangeCursor
    ) -> Bool {
        guard changes.isOnEntry, !entries.isEmpty else { return false }
        switch tree.order {
        case .ascending: return changes.key.compare(page.key(entries.upperBound &- 1)) <= 0
        case .descending: return changes.key.compare(page.key(entries.lowerBound)) >= 0
        }
    }

    /// Where a changed key is in a leaf, or would be.
    @inline(__always)
    private func place(
        of key: ByteView, in page: TreePage, _ rest: Range<Int>
    ) -> (index: Int, isFound: Bool) {
        let isAscending = tree.order == .ascending
        // Try the nearest entry first: if the memtables change every key, that entry has this key.
        let nearest = isAscending ? rest.lowerBound : rest.upperBound &- 1
        if page.key(nearest) == key { return (nearest, true) }
        return page.search(key, from: isAscending ? rest.lowerBound : 0, isLoaded: true)
    }

    /// From the rest of a leaf, removes the entries before a changed key, and the key's own entry
    /// too.
    ///
    /// - Parameter place: where the key is, or would be.
    /// - Returns: the entries before the key; `nil` if the key lies beyond the rest.
    private func cut(
        _ rest: inout Range<Int>, at place: (index: Int, isFound: Bool)
    ) -> Range<Int>? {
        guard !rest.isEmpty else { return nil }
        let former = rest
        // A page can hold anything, so do not assume that the place lies inside the range.
        switch tree.order {
        case .ascending:
            guard place.index < former.upperBound else { return nil }
            let end = max(place.index, former.lowerBound)
            rest = (place.isFound ? end &+ 1 : end)..<former.upperBound
            return former.lowerBound..<end
        case .descending:
            let start = place.isFound ? place.index &+ 1 : place.index
            guard start > former.lowerBound else { return nil }
            let end = min(start, former.upperBound)
            rest = former.lowerBound..<min(place.index, end)
            return end..<former.upperBound
        }
    }

    /// Visits the next changed key, and moves past it.
    private func visitChange(
        _ state: inout State, _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws -> ScanStep {
        let (key, change) = (state.changes.key, state.changes.change)
        state.changes.step(tree.order)
        guard case .put(let value) = change else {
            state.tombstones.pass()
            return .next
        }
        state.tombstones.end()
        return try body(key, value)
    }

    /// Visits the changed keys that lie beyond the tree's last leaf.
    private func finish(
        _ state: inout State, _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws {
        while state.changes.isOnEntry, tree.range.reaches(state.changes.key, tree.order) {
            guard try visitChange(&state, body) == .next else { return }
        }
    }
}

extension KeyRange {
    /// Whether a scan of the range in this order gets as far as a key.
    fileprivate func reaches(_ key: ByteView, _ order: ScanOrder) -> Bool {
        switch order {
        case .ascending: return reaches(key)
        case .descending: return lower.withView { key.compare($0) >= 0 }
        }
    }
}
