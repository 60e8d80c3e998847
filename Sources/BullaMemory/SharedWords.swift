public import CBullaShared
internal import Glibc

/// A mapped part of a file, read and written in place.
///
/// Words are 8 bytes at offsets that are multiples of 8; each access function names its ordering.
@usableFromInline @safe package struct FileMapping: ~Copyable, @unchecked Sendable {
    // `@unchecked`: words are atomic, and bytes are copied before they are trusted.

    @usableFromInline package let bytes: MutableByteView
    /// The number under which the fault handler watches the mapping; -1 if the memory only stands
    /// for a file.
    private let watch: Int32

    /// Maps `byteCount` bytes of a file, shared with every process that maps it.
    ///
    /// Bytes past the file's end become readable when the file grows. An access before that counts
    /// as a fault (``faultCount``), and puts zeros in place of the machine page that it touches,
    /// for as long as the mapping lasts.
    package init(
        descriptor: Int32, offset: UInt64, byteCount: Int, isWritable: Bool
    ) throws(MemoryError) {
        let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        let base = unsafe mmap(nil, byteCount, protection, MAP_SHARED, descriptor, off_t(offset))
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            throw MemoryError(errno: errno)
        }
        // A read-only mapping shows a store's file. Keep it out of forked children: a child's
        // mapping could keep the file open after the parent has died. The parent's locks would then
        // stay, too.
        if !isWritable { unsafe _ = madvise(base, byteCount, Advice.dontFork) }
        let watch = unsafe bulla_fault_watch(base, byteCount, isWritable)
        guard watch >= 0 else {
            unsafe _ = munmap(base, byteCount)
            // The fault handler can watch no more mappings. Throw what the system reports for too
            // many mappings.
            throw MemoryError(errno: ENOMEM)
        }
        bytes = unsafe MutableByteView(base: base, byteCount: byteCount)
        self.watch = watch
    }

    /// A mapping of a file that exists only in memory (on the simulated disk).
    package init(standingFor memory: MutableByteView) {
        bytes = memory
        watch = -1
    }

    deinit {
        guard watch >= 0 else { return }
        // SAFETY: mapped in init, unmapped once.
        bulla_fault_unwatch(watch)
        unsafe _ = munmap(bytes.base, bytes.byteCount)
    }

    /// Maps zeros in place of the file, and so releases it; the addresses stay readable.
    func wipe() {
        guard watch >= 0 else { return }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE
        // SAFETY: replaces exactly a mapping of ours. If the system refuses, the mapping stays.
        unsafe _ = mmap(bytes.base, bytes.byteCount, PROT_READ, flags, -1, 0)
    }

    /// Whether an access to this mapping got zeros, because the file did not reach that far.
    package var hasFaulted: Bool { watch >= 0 && bulla_fault_count_of(watch) > 0 }

    /// How many accesses to mappings of this process were faults, and so got zeros.
    @inlinable @inline(__always)
    package static var faultCount: UInt64 { bulla_fault_count() }
}

/// Words that several threads or processes read and write at once.
///
/// Offsets come from layouts in the code, so one outside the view is a bug, and traps.
@usableFromInline @safe package struct SharedWords: @unchecked Sendable {
    // `@unchecked`: every access is atomic.

    @usableFromInline package let bytes: MutableByteView

    @inlinable
    package init(_ bytes: MutableByteView) { self.bytes = bytes }

    @inlinable @inline(__always)
    func address(_ offset: Int) -> UnsafeMutableRawPointer {
        precondition(offset & 7 == 0 && bytes.view.contains(offset, 8), "a word lies in its region")
        // SAFETY: in bounds and aligned, checked above.
        return unsafe bytes.base + offset
    }

    @inlinable @inline(__always)
    package func loadAcquire(_ offset: Int) -> UInt64 {
        unsafe bulla_word_load_acquire(address(offset))
    }

    @inlinable @inline(__always)
    package func loadRelaxed(_ offset: Int) -> UInt64 {
        unsafe bulla_word_load_relaxed(address(offset))
    }

    @inlinable @inline(__always)
    package func storeRelease(_ value: UInt64, _ offset: Int) {
        unsafe bulla_word_store_release(address(offset), value)
    }

    @inlinable @inline(__always)
    package func storeRelaxed(_ value: UInt64, _ offset: Int) {
        unsafe bulla_word_store_relaxed(address(offset), value)
    }

    /// Writes a word; no later load of this thread can overtake the write.
    @inlinable @inline(__always)
    package func storeFenced(_ value: UInt64, _ offset: Int) {
        unsafe bulla_word_store_fenced(address(offset), value)
    }

    /// Adds to a word, and returns the value that it had before.
    @inlinable @inline(__always) @discardableResult
    package func add(_ amount: UInt64, _ offset: Int) -> UInt64 {
        unsafe bulla_word_add(address(offset), amount)
    }

    @inlinable @inline(__always)
    package func exchange(_ expected: UInt64, for desired: UInt64, _ offset: Int) -> Bool {
        unsafe bulla_word_exchange_if(address(offset), expected, desired)
    }

    /// Sleeps while the low half of the word equals the low half of `value`, for at most `limit`.
    package func wait(while value: UInt64, _ offset: Int, atMost limit: Duration) {
        let (seconds, attoseconds) = limit.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        unsafe bulla_futex_wait(
            address(offset), UInt32(truncatingIfNeeded: value), max(nanoseconds, 0))
    }

    /// Wakes up to `count` sleepers, and returns how many it woke.
    @discardableResult
    package func wake(_ offset: Int, count: Int = .max) -> Int {
        unsafe Int(bulla_futex_wake(address(offset), Int32(clamping: count)))
    }
}

/// Orders all accesses before it against all accesses after it.
@inline(__always)
package func fullFence() { bulla_fence() }

/// Keeps loads after it from moving ahead of loads before it.
@inlinable @inline(__always)
package func acquireFence() { bulla_fence_acquire() }
