package import BullaMemory
internal import CBullaCipher

/// Pages to open in one call, all of one size.
///
/// A caller can use a batch again after ``removeAll()``, which keeps the batch's memory.
///
/// The views are borrowed: their owners must outlive the call that opens the pages.
@safe package struct OpenBatch: ~Copyable {
    private var jobs: [bulla_page_job] = unsafe []
    /// The byte count that all pages of the batch share.
    private(set) var pageByteCount = 0

    package init() {}

    package var count: Int { unsafe jobs.count }

    /// Adds one page.
    ///
    /// - Parameters:
    ///   - page: the sealed page, private to the caller, because shared memory can change while it
    ///     is read.
    ///   - content: where the content goes; a page less its 32-byte trailer.
    ///   - context: describes where the page was found, which must be where it was written.
    ///   - check: the page's check (``PageCipher/check(of:)``), as its parent stores it.
    package mutating func append(
        page: ByteView, content: MutableByteView, context: PageContext, check: UInt64
    ) {
        precondition(
            content.byteCount + TrailerField.totalByteCount == page.byteCount, "the content fits")
        precondition(count == 0 || page.byteCount == pageByteCount, "all pages have one size")
        pageByteCount = page.byteCount
        unsafe jobs.append(
            bulla_page_job(context, in: page.base, out: content.base, check: check))
    }

    package mutating func removeAll() {
        unsafe jobs.removeAll(keepingCapacity: true)
    }

    /// Opens the pages with `context`.
    borrowing func run(on context: CipherContext) throws(CipherError) {
        try unsafe jobs.withUnsafeBufferPointer { jobs throws(CipherError) in
            unsafe try context.open(jobs)
        }
    }
}
