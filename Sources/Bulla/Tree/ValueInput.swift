internal import BullaMemory

/// A value that comes part by part: kept in memory as long as it is small, written as it grows.
struct ValueInput<Pages: PageEditing>: ~Copyable {
    private let pages: Pages
    /// A page of what came so far, and how many bytes that is.
    private let small: ScratchBuffer
    private var smallByteCount = 0
    private var large: LargeValueWriter<Pages>?

    init(_ pages: Pages) throws(BullaError) {
        self.pages = pages
        small = try pages.pager.scratch.take()
    }

    deinit { pages.pager.scratch.giveBack(small) }

    mutating func append(_ part: RawSpan) throws(BullaError) {
        try part.withView { part throws(BullaError) in
            if large == nil, part.byteCount <= pages.format.pageByteCount - smallByteCount {
                small.bytes.copy(part, to: smallByteCount)
                smallByteCount += part.byteCount
                return
            }
            if large == nil { try spill() }
            try large?.append(part)
        }
    }

    private var smallBytes: ByteView { small.bytes.view.slice(0, smallByteCount) }

    private mutating func spill() throws(BullaError) {
        let bytes = smallBytes
        large = try LargeValueWriter(pages)
        try large?.append(bytes)
    }

    /// Takes no more parts: the transaction may write other pages.
    mutating func settle() throws(BullaError) { try large?.settle() }

    mutating func abandon() { large?.abandon() }

    mutating func finish(
        _ pages: Pages, _ tree: Int, _ key: ByteView
    ) throws(BullaError) {
        guard let value = try large?.finish() else {
            return try pages.put(tree, key, smallBytes)
        }
        try pages.putLarge(tree, key, value)
    }
}

extension PageEditing {
    /// Stores a value: in the leaf where it fits, in pages of its own otherwise.
    func put(_ tree: Int, _ key: ByteView, _ value: ByteView) throws(BullaError) {
        let cell =
            TreePageLayout.slotByteCount + TreePageLayout.leafCellHeader
            + key.byteCount + value.byteCount
        guard cell > format.cellByteLimit else {
            markChanged(tree)
            return try putCell(tree, key, word: UInt32(value.byteCount), payload: value)
        }
        var writer = try LargeValueWriter(self)
        try writer.append(value)
        try putLarge(tree, key, try writer.finish())
    }

    func putLarge(_ tree: Int, _ key: ByteView, _ value: LargeValue) throws(BullaError) {
        let descriptor = [
            value.byteCount, UInt64(value.height), value.root.number, value.root.birth,
            value.root.check,
        ]
        let bytes = descriptor.flatMap { $0.littleEndianBytes }
        try bytes.withTypedView { bytes throws(BullaError) in
            try putCell(tree, key, word: TreePageLayout.largeMark, payload: bytes)
        }
    }
}
