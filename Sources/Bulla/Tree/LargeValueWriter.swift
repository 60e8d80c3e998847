internal import BullaMemory

/// Writes a value of any length as it arrives, and takes little memory for it: 24 bytes for each
/// page of the value.
///
/// Pages are sealed as they fill: whole pages straight from the arriving bytes, the rest from a
/// buffer. Another thread writes sealed pages while later ones are sealed. The last pages can stay
/// unwritten until one of the steps that ``ChangeWriter`` lists. Nothing refers to the pages until
/// the value's descriptor is in a leaf. ``abandon()`` gives the pages up.
struct LargeValueWriter<Pages: PageEditing>: ~Copyable {
    /// How many value pages are sealed together.
    private static var batchPageCount: Int { 128 }

    private let pages: Pages
    /// Room for a batch of pages; its first `filled` bytes have arrived, but are not sealed yet.
    private let buffer: MutableByteView
    private let contentByteCount: Int
    private var filled = 0
    /// Whether the last page is complete, padded with zeros if necessary.
    private var isSettled = false
    private var byteCount: UInt64 = 0
    /// Pointers that are not in an index page yet: at index 0 those to value pages, at index 1
    /// those to index pages of level 1, and so on.
    private var levels: [[PagePointer]] = [[]]
    /// Pointers to all pages sealed so far, for ``abandon()``.
    private var written: [PagePointer] = []
    /// The transaction's sealer, taken when pages are first sealed, and given back by ``settle()``
    /// or ``abandon()``; `nil` at other times.
    private var writer: PageSealer?

    init(_ pages: Pages) throws(BullaError) {
        self.pages = pages
        contentByteCount = pages.format.contentByteCount
        buffer = try pages.memory.valueBuffer(pageCount: Self.batchPageCount)
    }

    private var capacity: Int { contentByteCount * Self.batchPageCount }

    mutating func append(_ bytes: ByteView) throws(BullaError) {
        precondition(!isSettled, "nothing is appended to a value that was settled")
        guard byteCount + UInt64(bytes.byteCount) <= PageFormat.valueByteLimit else {
            throw BullaError(
                .valueTooLarge,
                "write a value to \(pages.pager.file.path): it has more than "
                    + "\(PageFormat.valueByteLimit) bytes, which is the limit")
        }
        byteCount += UInt64(bytes.byteCount)
        var done = 0
        while done < bytes.byteCount {
            let left = bytes.slice(done, bytes.byteCount - done)
            if filled == 0, left.byteCount >= contentByteCount {
                let pageCount = min(left.byteCount / contentByteCount, Self.batchPageCount)
                try writePages(left.slice(0, pageCount * contentByteCount))
                done += pageCount * contentByteCount
                continue
            }
            let count = min(capacity - filled, left.byteCount)
            buffer.copy(left.slice(0, count), to: filled)
            filled += count
            done += count
            if filled == capacity { try writeBuffer() }
        }
    }

    /// Seals the remaining bytes, and gives the sealer back, so that the transaction can write
    /// other pages.
    ///
    /// Nothing may be appended after this, because the last page is padded with zeros.
    mutating func settle() throws(BullaError) {
        isSettled = true
        if filled > 0 { try writeBuffer() }
        giveWriterBack()
    }

    private mutating func giveWriterBack() {
        if let writer = writer.take() { pages.writer.giveBack(writer) }
    }

    /// Seals the rest of the value and its index pages, and returns its descriptor.
    ///
    /// The value must have at least one byte.
    mutating func finish() throws(BullaError) -> LargeValue {
        if filled > 0 { try writeBuffer() }
        var level = 0
        // A single page needs no index page.
        while levels[level].count > 1 || level < levels.count - 1 {
            try writeIndexPage(above: level)
            level += 1
        }
        try settle()
        return LargeValue(byteCount: byteCount, height: level, root: levels[level][0])
    }

    /// Gives up every page of the value.
    mutating func abandon() {
        // Some pages may still be unwritten. That does no harm, because pages that reuse their
        // numbers are written after them.
        giveWriterBack()
        for pointer in written { pages.release(pointer) }
        written = []
    }

    private mutating func writeBuffer() throws(BullaError) {
        let count = filled.roundedUp(toMultipleOf: contentByteCount)
        buffer.fill(filled, count - filled)
        filled = 0
        try writePages(buffer.view.slice(0, count))
    }

    /// Seals the bytes of whole value pages.
    private mutating func writePages(_ bytes: ByteView) throws(BullaError) {
        let contents = (0..<bytes.byteCount / contentByteCount).map {
            bytes.slice($0 * contentByteCount, contentByteCount)
        }
        for pointer in try write(contents, .value) { try add(pointer, level: 0) }
    }

    private mutating func write(
        _ contents: [ByteView], _ kind: PageKind
    ) throws(BullaError) -> [PagePointer] {
        try pages.reservePages(UInt64(contents.count))
        if writer == nil { writer = try pages.writer.take() }
        for content in contents {
            try writer?.add(content, kind, number: pages.takePage())
        }
        let pointers = try writer?.seal() ?? []
        written += pointers
        return pointers
    }

    private mutating func add(_ pointer: PagePointer, level: Int) throws(BullaError) {
        if levels.count <= level { levels.append([]) }
        if levels[level].count == LargeValue.fanOut(pages.format) {
            try writeIndexPage(above: level)
        }
        levels[level].append(pointer)
    }

    /// Moves the pointers that wait at a level into an index page of the next level.
    private mutating func writeIndexPage(above level: Int) throws(BullaError) {
        let page = try pages.pager.scratch.take()
        defer { pages.pager.scratch.giveBack(page) }
        let content = page.bytes.slice(0, contentByteCount)
        ValueIndexPage.write(levels[level][...], level: level + 1, content)
        levels[level] = []
        let pointers = try write([content.view], .valueIndex)
        try add(pointers[0], level: level + 1)
    }
}
