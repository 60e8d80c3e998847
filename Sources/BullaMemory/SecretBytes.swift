internal import CBullaShared
internal import Glibc

/// Key material, or cleartext that is lent: one owner, never copied, never printed, wiped when it
/// goes away.
///
/// It lies in the ``SecretArena``: in memory that is locked (or as ``SecretMemory/policy`` says),
/// that no core dump holds, and that a forked child does not have at all. There ``isIntact`` is
/// false, the bytes that are lent are none, and its end leaves them alone.
///
/// There is no description, no coding, no hashing and no equality: what compares secrets does so in
/// constant time.
///
/// Sendable, because nothing changes it but ``withMutableView(_:)``, which borrows it exclusively,
/// and ``wipe()``, after which nobody may use it.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let block: SecretBlock
    private let range: Range<Int>
    private let budget: SecretBudget?
    package let byteCount: Int

    /// Zeroed bytes.
    ///
    /// - Parameters:
    ///   - byteCount: at least one.
    ///   - budget: what lent cleartext is counted against; `nil` for a key.
    /// - Throws: ``MemoryError`` when the system has no memory, when none of it can be locked, and
    ///   when the budget is used up.
    /// - Complexity: no system call as a rule, up to ``SecretArena/sharedByteLimit``; some beyond.
    package init(byteCount: Int, budget: SecretBudget? = nil) throws(MemoryError) {
        precondition(byteCount > 0, "a secret has bytes")
        // The marker stands in the last word.
        let count = (byteCount + MemoryLayout<UInt64>.size).roundedUp(toMultipleOf: 16)
        let (block, offset) = try Self.take(count, budget)
        self.block = block
        range = offset..<offset + count
        self.budget = budget
        self.byteCount = byteCount
        // SAFETY: the last word of our range, which is aligned.
        unsafe bulla_word_store_release(markerAddress, Self.marker)
    }

    private static func take(
        _ count: Int, _ budget: SecretBudget?
    ) throws(MemoryError) -> (block: SecretBlock, offset: Int) {
        try budget?.take(count)
        do throws(MemoryError) {
            return try SecretArena.here().take(count, SecretMemory.policy)
        } catch {
            budget?.giveBack(count)
            throw error
        }
    }

    /// A copy of `bytes`, which stay with their owner.
    ///
    /// - Throws: ``MemoryError``, as ``init(byteCount:budget:)``.
    package init(copying bytes: RawSpan, budget: SecretBudget? = nil) throws(MemoryError) {
        try self.init(byteCount: bytes.byteCount, budget: budget)
        bytes.withView { source in withMutableView { $0.copy(source, to: 0) } }
    }

    deinit {
        budget?.giveBack(range.count)
        guard arena.isHere else { return }
        let wasIntact = overwrite()
        arena.giveBack(range, of: block, wasIntact: wasIntact)
    }

    /// Whether the bytes are still those that were put in: false once they are wiped, and in a
    /// child after `fork`, which does not have them.
    package var isIntact: Bool {
        guard arena.isHere else { return false }
        // SAFETY: the last word of our range, which this process has.
        return unsafe bulla_word_load_acquire(markerAddress) == Self.marker
    }

    /// Overwrites the secret where it lies, before it goes away; it is not intact any more.
    ///
    /// To be called when nobody reads it. Its place stays its own, so that who reads it late finds
    /// zeros.
    package borrowing func wipe() {
        guard arena.isHere else { return }
        if overwrite() { arena.noteWiped() }
    }

    /// Whether it was intact before.
    private borrowing func overwrite() -> Bool {
        // SAFETY: our range, in the process that has it; of two threads, one takes the marker.
        let wasIntact = unsafe bulla_word_exchange_if(markerAddress, Self.marker, 0)
        unsafe explicit_bzero(base, range.count)
        return wasIntact
    }

    /// Lends the bytes for reading; none in a child after `fork`.
    ///
    /// The view must not leave `body`.
    package borrowing func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        guard arena.isHere else { return try body(emptyView) }
        // SAFETY: valid for `byteCount` bytes until `deinit`, which cannot run while borrowed.
        return try body(unsafe ByteView(base: base, byteCount: byteCount))
    }

    /// Lends the bytes for writing.
    ///
    /// The view must not leave `body`. A child after `fork` has made the secret itself, or traps.
    package mutating func withMutableView<R: ~Copyable, E: Error>(
        _ body: (MutableByteView) throws(E) -> R
    ) throws(E) -> R {
        precondition(arena.isHere, "a secret is written in the process that made it")
        // SAFETY: valid for `byteCount` bytes until `deinit`, which cannot run while borrowed.
        return try body(unsafe MutableByteView(base: base, byteCount: byteCount))
    }

    private var arena: SecretArena { block.arena }

    private var base: UnsafeMutableRawPointer { unsafe block.base + range.lowerBound }

    private var markerAddress: UnsafeMutableRawPointer {
        unsafe base + (range.count - MemoryLayout<UInt64>.size)
    }

    /// Stands behind a secret until it is wiped.
    private static let marker: UInt64 = 0x6275_6c6c_6120_6b65
}
