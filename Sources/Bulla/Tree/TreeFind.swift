internal import BullaMemory

extension PageSource {
    /// Looks a key up, and hands the leaf and the entry's index to `body`; `nil` where there is
    /// none.
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

    /// What an entry holds: a copy of its bytes, or where they lie.
    ///
    /// Whoever has it calls ``giveBack(_:)`` when done.
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

    /// Takes back the memory of what was found.
    func giveBack(_ value: FoundValue) {
        if case .short(let buffer, _) = value { pager.scratch.giveBack(buffer) }
    }

    /// The value as an array for the caller to keep, up to the limit for values that are lent as a
    /// whole.
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

/// What an entry holds, in memory of the engine's.
enum FoundValue {
    /// So many bytes of a buffer, which is given back.
    case short(ScratchBuffer, Int)
    case large(LargeValue)
    /// In memory that a view keeps.
    case kept(ByteView)

    var byteCount: UInt64 {
        switch self {
        case .short(_, let byteCount): UInt64(byteCount)
        case .kept(let bytes): UInt64(bytes.byteCount)
        case .large(let value): value.byteCount
        }
    }
}

/// What an entry holds, for a caller to keep.
private enum CopiedValue {
    case bytes([UInt8])
    case large(LargeValue)
}

extension KeyRange {
    /// The first entry of a leaf past the range.
    func endIndex(in page: TreePage) -> Int {
        guard let upper else { return page.count }
        return upper.withView { upper in
            let (index, isFound) = page.search(upper)
            return isFound && includesUpper ? index + 1 : index
        }
    }

    /// The first entry of a leaf not below the range.
    func startIndex(in page: TreePage) -> Int {
        lower.isEmpty ? 0 : lower.withView { page.search($0).index }
    }
}
