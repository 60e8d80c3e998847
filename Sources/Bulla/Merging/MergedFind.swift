internal import BullaMemory

/// Looks up keys in a tree and the memtables above it.
///
/// The functions match those for a tree alone, and answer as if the memtables had been merged into
/// it.
extension PageSource {
    /// Looks up a key, and lends its value to `body` in place; `nil` if there is none.
    ///
    /// - Complexity: for a key that the memtables have changed, a search of one of them, or rarely
    ///   of both; no page is read. For another key, the cost of ``MemtablePair/change(of:in:)`` and
    ///   the search of the tree.
    @inline(__always)
    func find<R>(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView,
        _ body: (StoredValue) throws(BullaError) -> R
    ) throws(BullaError) -> R? {
        switch changes.change(of: key, in: root.number) {
        case nil:
            try find(root, key) { page, index throws(BullaError) in try body(page.value(index)) }
        case .put(let value): try body(.short(value))
        case .tombstone: nil
        }
    }

    func contains(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView
    ) throws(BullaError) -> Bool {
        try find(root, under: changes, key) { _ in true } ?? false
    }

    func valueByteCount(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView
    ) throws(BullaError) -> UInt64? {
        try find(root, under: changes, key) { value in value.byteCount }
    }

    /// A copy of a key's value as an array; `nil` if there is none.
    ///
    /// - Throws: `valueTooLarge` if the tree has a value of more than
    ///   ``PageFormat/lentValueByteLimit`` bytes.
    func copyValue(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView
    ) throws(BullaError) -> [UInt8]? {
        switch changes.change(of: key, in: root.number) {
        case nil: try copyValue(root, key)
        case .put(let value): value.copied()
        case .tombstone: nil
        }
    }

    /// An entry's value: a copy of its bytes, or where they lie.
    ///
    /// The caller calls ``giveBack(_:)`` when done, before it drops the memtables' versions.
    func value(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView
    ) throws(BullaError) -> FoundValue? {
        switch changes.change(of: key, in: root.number) {
        case nil: try value(root, key)
        case .put(let value): .kept(value)
        case .tombstone: nil
        }
    }

    /// Copies the values of many keys: those of changed keys from the memtables, and the others,
    /// many at a time, from the tree.
    func copyValues(
        _ root: TreeRoot, under changes: MemtablePair?, _ keys: [[UInt8]]
    ) throws(BullaError) -> [[UInt8]?] {
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        try KeyGroup.forEach(of: keys) { group throws(BullaError) in
            if let changes, !changes.isEmpty {
                changes.take(from: &group, in: root.number) { place, change in
                    if case .put(let value) = change { values[place] = value.copied() }
                }
            }
            try copyValues(root, of: &group, to: &values)
        }
        return values
    }

    /// Which of many keys exist.
    func contains(
        _ root: TreeRoot, under changes: MemtablePair?, eachOf keys: [[UInt8]]
    ) throws(BullaError) -> [Bool] {
        var found = [Bool](repeating: false, count: keys.count)
        try KeyGroup.forEach(of: keys) { group throws(BullaError) in
            if let changes, !changes.isEmpty {
                changes.take(from: &group, in: root.number) { place, change in
                    if case .put = change { found[place] = true }
                }
            }
            try find(root, &group, in: &found)
        }
        return found
    }
}

/// The value of a key, in place.
enum StoredValue {
    case short(ByteView)
    case large(LargeValue)

    @inline(__always)
    var byteCount: UInt64 {
        switch self {
        case .short(let bytes): UInt64(bytes.byteCount)
        case .large(let value): value.byteCount
        }
    }
}

extension TreePage {
    /// The value of an entry of a leaf.
    @inline(__always)
    func value(_ index: Int) -> StoredValue {
        isLarge(index) ? .large(LargeValue(payload(index))) : .short(payload(index))
    }
}
