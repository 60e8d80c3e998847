internal import BullaCipher
internal import BullaMemory

/// Records which pages of a plain store were verified against their pointers.
struct VerifiedPages: ~Copyable, Sendable {
    private let checks: WordTable
    /// The offset of the check in a plain page.
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

    /// Whether the checksum of a plain page is the one that a pointer names.
    ///
    /// The page was verified before, but it lies in the shared mapping, where its bytes can change
    /// once a writer has freed it.
    @inline(__always)
    func isVersion(_ page: ByteView, _ pointer: PagePointer) -> Bool {
        page.loadShared(at: checkOffset) == pointer.check
    }
}
