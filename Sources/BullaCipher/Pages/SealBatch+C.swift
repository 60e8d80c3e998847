package import BullaMemory
internal import CBullaCipher

/// Pages to seal in one call, all of one size.
///
/// A caller can use a batch again after ``removeAll()``, which keeps the batch's memory.
///
/// The batch only borrows its pages' bytes: their owners must outlive the call that seals them.
@safe package struct SealBatch: ~Copyable {
    private var jobs: [bulla_page_job] = unsafe []
    /// The byte count that all pages of the batch share.
    private(set) var pageByteCount = 0

    package init() {}

    package var count: Int { unsafe jobs.count }

    /// Adds one page.
    ///
    /// - Parameters:
    ///   - content: what to seal; a page less its 32-byte trailer.
    ///   - sealed: where the page goes. It can begin where `content` does, but must not overlap it
    ///     in any other way.
    ///   - context: what the page is bound to.
    package mutating func append(
        content: ByteView, sealed: MutableByteView, context: PageContext
    ) {
        precondition(
            content.byteCount + TrailerField.totalByteCount == sealed.byteCount, "the content fits")
        precondition(count == 0 || sealed.byteCount == pageByteCount, "all pages have one size")
        pageByteCount = sealed.byteCount
        unsafe jobs.append(
            bulla_page_job(context, in: content.base, out: sealed.base, check: 0))
    }

    /// The check of the page at `index`, once the batch is sealed.
    package func check(at index: Int) -> UInt64 {
        unsafe jobs[index].check
    }

    package mutating func removeAll() {
        unsafe jobs.removeAll(keepingCapacity: true)
    }

    /// Lends the batch in pieces, several of which can be sealed at once, each with a cipher of its
    /// own.
    ///
    /// - Parameters:
    ///   - body: gets the number of pieces, and a closure that seals one of them by its number.
    mutating func withPieces(
        of size: Int,
        _ body: (
            _ count: Int,
            _ seal: @escaping @Sendable (Int, CipherContext) throws(CipherError) -> Void
        ) -> Void
    ) {
        let total = count
        unsafe jobs.withUnsafeMutableBufferPointer { jobs in
            nonisolated(unsafe) let all = unsafe jobs
            body((total + size - 1) / size) { number, context throws(CipherError) in
                let piece = number * size..<min((number + 1) * size, total)
                // SAFETY: each piece has jobs of its own, which do not move during the call.
                unsafe try context.seal(UnsafeMutableBufferPointer(rebasing: all[piece]))
            }
        }
    }

    /// Seals the pages with `context`.
    mutating func run(on context: CipherContext) throws(CipherError) {
        try unsafe jobs.withUnsafeMutableBufferPointer { jobs throws(CipherError) in
            unsafe try context.seal(jobs)
        }
    }
}

extension bulla_page_job {
    init(
        _ context: PageContext, in source: UnsafeRawPointer, out: UnsafeMutableRawPointer?,
        check: UInt64
    ) {
        unsafe self.init(
            in: source, out: out, page_number: context.pageNumber, birth: context.birth,
            epoch: context.epoch, kind: context.kind, check: check)
    }
}
