internal import BullaMemory

extension PageSource {
    /// Looks a key up, and passes the leaf and the entry's index to `body`; returns `nil` if the
    /// key is missing.
    @inline(__always)
    func find<R>(
        _ root: TreeRoot, _ key: ByteView, _ body: (TreePage, Int) throws(BullaError) -> R
    ) throws(BullaError) -> R? {
        guard !root.pointer.isNone else { return nil }
        return try operate { () throws(BullaError) -> R? in
            let leaf = try leafPointer(of: root, for: key)
            let page = try treePage(leaf, level: 0)
            var result: R?
            if let index = page.entry(of: key) { result = try body(page, index) }
            try checkUnchanged(leaf)
            return result
        }
    }

    /// The root of a tree, from its record in a catalog; `nil` if the catalog has no record under
    /// `key`.
    func storedRoot(_ key: ByteView, in catalog: TreeRoot) throws(BullaError) -> TreeRoot? {
        try find(catalog, key) { page, index in TreeRootLayout.read(page.payload(index)) }
    }

    /// The value of an entry: a copy of its bytes, or the descriptor of a large value.
    ///
    /// The caller must pass the result to ``giveBack(_:)`` when done.
    func value(_ root: TreeRoot, _ key: ByteView) throws(BullaError) -> FoundValue? {
        let buffer = try pager.scratch.take()
        do throws(BullaError) {
            let value = try find(root, key) { page, index in
                let payload = page.payload(index)
                guard !page.isLarge(index) else { return FoundValue.large(LargeValue(payload)) }
                buffer.bytes.copy(payload, to: 0)
                return .short(buffer, payload.byteCount)
            }
            if case .short = value { return value }
            pager.scratch.giveBack(buffer)
            return value
        } catch {
            pager.scratch.giveBack(buffer)
            throw error
        }
    }

    /// Takes back the memory of a found value.
    func giveBack(_ value: FoundValue) {
        if case .short(let buffer, _) = value { pager.scratch.giveBack(buffer) }
    }

    /// A copy of the value as an array; `nil` if there is no such key.
    ///
    /// - Throws: `valueTooLarge` if the value has more than ``PageFormat/lentValueByteLimit``
    ///   bytes.
    func copyValue(_ root: TreeRoot, _ key: ByteView) throws(BullaError) -> [UInt8]? {
        let found = try find(root, key) { page, index in
            page.isLarge(index)
                ? CopiedValue.large(LargeValue(page.payload(index)))
                : .bytes(page.payload(index).copied())
        }
        switch found {
        case nil: return nil
        case .bytes(let bytes): return bytes
        case .large(let value): return try copy(value)
        }
    }

    func copy(_ value: LargeValue) throws(BullaError) -> [UInt8] {
        do { return try lendWhole(value) { $0.copied() } } catch {
            throw error as? BullaError ?? defect(value.root, "\(error)")
        }
    }

    func valueByteCount(_ root: TreeRoot, _ key: ByteView) throws(BullaError) -> UInt64? {
        try find(root, key) { page, index in
            page.isLarge(index)
                ? LargeValue(page.payload(index)).byteCount : UInt64(page.payload(index).byteCount)
        }
    }
}

/// The value of an entry, in the engine's memory.
enum FoundValue {
    /// A buffer that begins with the value, and the value's byte count; the buffer must be given
    /// back.
    case short(ScratchBuffer, Int)
    case large(LargeValue)
    /// The value's bytes in a memtable, which the reader keeps alive.
    case kept(ByteView)

    var byteCount: UInt64 {
        switch self {
        case .short(_, let byteCount): UInt64(byteCount)
        case .kept(let bytes): UInt64(bytes.byteCount)
        case .large(let value): value.byteCount
        }
    }
}

/// The value of an entry, for the caller to keep.
private enum CopiedValue {
    case bytes([UInt8])
    case large(LargeValue)
}

extension KeyRange {
    /// The index of a leaf's first entry that lies after the range.
    func endIndex(in page: TreePage) -> Int {
        guard let upper else { return page.count }
        return upper.withView { upper in
            let (index, isFound) = page.search(upper)
            return isFound && includesUpper ? index + 1 : index
        }
    }

    /// The index of a leaf's first entry that does not lie before the range.
    func startIndex(in page: TreePage) -> Int {
        lower.isEmpty ? 0 : lower.withView { page.search($0).index }
    }
}
