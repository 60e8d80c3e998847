internal import Glibc

/// The system gave no memory, or no address space.
package struct MemoryError: Error, Equatable {
    /// What the call left in `errno`.
    package let errno: Int32

    package init(errno: Int32) { self.errno = errno }

    /// Whether memory or address space is short.
    package var isShortage: Bool { errno == ENOMEM }
}

/// Key material: one owner, never copied, never printed, wiped when it goes away.
///
/// It lies in pages of its own, which no core dump holds, which are not swapped as far as the limit
/// on locked memory allows, and which a forked child finds zeroed (``isIntact`` tells). There is no
/// description, no coding, no hashing and no equality: what compares secrets does so in constant
/// time.
///
/// Sendable, because nothing changes it but ``withMutableView(_:)``, which borrows it exclusively,
/// and ``wipe()``, after which nobody may use it.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let mappedByteCount: Int
    package let byteCount: Int

    /// Zeroed bytes.
    ///
    /// - Parameters:
    ///   - byteCount: at least one.
    /// - Throws: ``MemoryError`` when the system has no memory.
    package init(byteCount: Int) throws(MemoryError) {
        precondition(byteCount > 0, "a secret has bytes")
        let mappedByteCount = Self.wholePages(byteCount + MemoryLayout<UInt64>.size)
        // SAFETY: a fresh private mapping, owned by this value alone until `deinit`.
        let address = unsafe mmap(
            nil, mappedByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw MemoryError(errno: Glibc.errno)
        }
        unsafe self.base = unsafe address
        self.mappedByteCount = mappedByteCount
        self.byteCount = byteCount
        protect()
        // SAFETY: the last word of the mapping, behind the secret.
        unsafe base.storeBytes(
            of: Self.marker, toByteOffset: mappedByteCount - MemoryLayout<UInt64>.size,
            as: UInt64.self)
    }

    /// A copy of `bytes`, which stay with their owner.
    ///
    /// - Throws: ``MemoryError`` when the system has no memory.
    package init(copying bytes: RawSpan) throws(MemoryError) {
        try self.init(byteCount: bytes.byteCount)
        bytes.withView { source in withMutableView { $0.copy(source, to: 0) } }
    }

    deinit {
        // SAFETY: the mapping is ours and nobody borrows it any more.
        unsafe explicit_bzero(base, mappedByteCount)
        unsafe munmap(base, mappedByteCount)
    }

    /// Whether the bytes are still those that were put in: false in a child after `fork`.
    package var isIntact: Bool {
        // SAFETY: the last word of the mapping.
        unsafe base.load(
            fromByteOffset: mappedByteCount - MemoryLayout<UInt64>.size, as: UInt64.self)
            == Self.marker
    }

    /// Overwrites the secret where it lies, before it goes away; it is not intact any more.
    ///
    /// To be called when nobody reads it. Its pages are locked, so they are not given back.
    package borrowing func wipe() {
        // SAFETY: the mapping is ours; whoever reads it late sees zeros.
        unsafe explicit_bzero(base, mappedByteCount)
    }

    /// Lends the bytes for reading.
    ///
    /// The view must not leave `body`.
    package borrowing func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: valid for `byteCount` bytes until `deinit`, which cannot run while borrowed.
        try body(unsafe ByteView(base: base, byteCount: byteCount))
    }

    /// Lends the bytes for writing.
    ///
    /// The view must not leave `body`.
    package mutating func withMutableView<R: ~Copyable, E: Error>(
        _ body: (MutableByteView) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: valid for `byteCount` bytes until `deinit`, which cannot run while borrowed.
        try body(unsafe MutableByteView(base: base, byteCount: byteCount))
    }

    /// Each of these may be refused (a limit on locked memory, an old kernel).
    ///
    /// The secret is then as safe as other memory, and the store still opens.
    private borrowing func protect() {
        // SAFETY: advice on a mapping of ours.
        unsafe mlock(base, mappedByteCount)
        unsafe madvise(base, mappedByteCount, adviceDontDump)
        unsafe madvise(base, mappedByteCount, adviceWipeOnFork)
    }

    /// Stands behind the secret, so that pages zeroed by a fork are not taken for a key of zeros.
    private static let marker: UInt64 = 0x6275_6c6c_6120_6b65

    private static func wholePages(_ byteCount: Int) -> Int {
        let pageByteCount = sysconf(Int32(_SC_PAGESIZE))
        return (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
    }
}

/// `MADV_DONTDUMP` and `MADV_WIPEONFORK` of Linux, which Glibc's module does not name.
private let adviceDontDump: Int32 = 16
private let adviceWipeOnFork: Int32 = 18
