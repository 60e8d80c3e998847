internal import BullaMemory

/// Takes a value part by part: keeps it in memory while it fits a page, and writes it to pages of
/// its own once it is longer.
struct ValueInput<Pages: PageEditing>: ~Copyable {
    private let pages: Pages
    /// Room for the first bytes of the value, up to a page of them.
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

    /// Ends the value: no more parts follow, and the transaction can write other pages again.
    mutating func settle() throws(BullaError) { try large?.settle() }

    mutating func abandon() { large?.abandon() }

    mutating func finish(_ tree: Int, _ key: ByteView) throws(BullaError) {
        let editor = pages.editor(of: tree)
        guard let value = try large?.finish() else { return try editor.put(key, smallBytes) }
        try editor.putLarge(key, value)
    }
}
