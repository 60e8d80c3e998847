internal import CBullaShared
internal import Glibc

/// Key material, or cleartext that is lent: it has one owner, is never copied or printed, and is
/// wiped when it goes away.
///
/// It lies in the ``SecretArena``: in memory that is locked (or as ``SecretMemory/policy`` says),
/// that no core dump holds, and that a forked child does not have at all. In such a child,
/// ``isIntact`` is false, no bytes are lent, and `deinit` touches no memory.
///
/// It has no description, coding, hashing or equality. Code that must compare secrets does so in
/// constant time.
///
/// Sendable, because only two functions change it: ``withMutableView(_:)``, which borrows it
/// exclusively, and ``wipe()``, which only turns the bytes to zeros.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let block: SecretBlock
    private let range: Range<Int>
    private let budget: SecretBudget?
    package let byteCount: Int

    /// Zeroed bytes.
    ///
    /// - Parameters:
    ///   - byteCount: at least one.
    ///   - budget: the budget for lent cleartext; `nil` for a key.
    /// - Throws: ``MemoryError`` if the system has no memory, if none of it can be locked, or if
    ///   the budget is used up.
    /// - Complexity: up to ``SecretArena/sharedByteLimit``, usually no system call; for more, a
    ///   few.
    package init(byteCount: Int, budget: SecretBudget? = nil) throws(MemoryError) {
        precondition(byteCount > 0, "a secret has bytes")
        // The marker is in the last word.
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

    /// Copies `bytes`; the original stays with its owner.
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

    /// Whether this process has the secret, and nobody has wiped it.
    ///
    /// It is false in a child after `fork`, which does not have the secret.
    package var isIntact: Bool {
        guard arena.isHere else { return false }
        // SAFETY: the last word of our range, which this process has.
        return unsafe bulla_word_load_acquire(markerAddress) == Self.marker
    }

    /// Overwrites the secret in place before it goes away; afterwards ``isIntact`` is false.
    ///
    /// Call it when nobody reads the secret. Otherwise, make sure that the program does not use
    /// what a reader computes during the call. The memory is not reused before this object's
    /// `deinit`, so a late reader finds zeros.
    package borrowing func wipe() {
        guard arena.isHere else { return }
        if overwrite() { arena.noteWiped() }
    }

    /// Overwrites the bytes; returns whether they were intact before.
    private borrowing func overwrite() -> Bool {
        // SAFETY: our range, in the process that has it; if two threads wipe at once, only one
        // finds the marker.
        let wasIntact = unsafe bulla_word_exchange_if(markerAddress, Self.marker, 0)
        unsafe explicit_bzero(base, range.count)
        return wasIntact
    }

    /// Lends the bytes for reading; lends none in a child after `fork`.
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
    /// The view must not leave `body`. A child after `fork` traps, unless it made the secret
    /// itself.
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

    /// What the last word of a secret's memory holds until the secret is wiped.
    private static let marker: UInt64 = 0x6275_6c6c_6120_6b65
}
