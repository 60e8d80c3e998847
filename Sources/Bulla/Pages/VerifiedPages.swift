internal import BullaCipher
internal import BullaMemory

/// Which pages of a plain store were found to be what their pointers name.
struct VerifiedPages: ~Copyable, Sendable {
    private let checks: WordTable
    /// Where a plain page says which version it is.
    private let checkOffset: Int

    init(_ format: PageFormat) throws(MemoryError) {
        checks = try WordTable()
        checkOffset = format.contentByteCount + TrailerField.tag.offset
    }

    @inline(__always)
    func contains(_ pointer: PagePointer) -> Bool {
        checks.load(pointer.number) == pointer.check | 1
    }

    func insert(_ pointer: PagePointer) { checks.store(pointer.check | 1, at: pointer.number) }

    /// Whether a plain page says that it is the version which a pointer names.
    ///
    /// It was verified before; but it lies in the mapping, where others write once a page is free.
    @inline(__always)
    func isVersion(_ page: ByteView, _ pointer: PagePointer) -> Bool {
        page.loadShared(at: checkOffset) == pointer.check
    }
}
