public import CBullaShared
internal import Glibc

/// One 64-bit word for each page of a file, in two levels, found without a lock.
///
/// A word that was never stored reads as zero. Chunks are made as needed, and freed with the table.
@usableFromInline @safe package struct WordTable: ~Copyable, @unchecked Sendable {
    // `@unchecked`: every access is atomic; a chunk, once linked, stays until deinit.

    /// 2^15 words in a chunk (256 KiB), and 2^17 chunks: enough for 2^32 pages, or 16 TiB of 4 KiB
    /// pages.
    @usableFromInline static let chunkBits: UInt64 = 15
    @usableFromInline static let chunkCount: UInt64 = 1 << 17
    @usableFromInline package static let wordCountLimit = chunkCount << chunkBits

    @usableFromInline let root: AnonymousRegion
    @usableFromInline let rootBase: UnsafeMutableRawPointer

    package init() throws(MemoryError) {
        root = try AnonymousRegion(byteCount: Int(Self.chunkCount + 1) * 8)
        unsafe rootBase = unsafe root.bytes.base
    }

    @inlinable @inline(__always)
    func chunk(_ index: UInt64) -> UnsafeMutableRawPointer? {
        guard index < Self.wordCountLimit else { return nil }
        // SAFETY: the slot lies in the root, checked above.
        let slot = unsafe rootBase + Int(index >> Self.chunkBits) * 8
        return unsafe UnsafeMutableRawPointer(bitPattern: UInt(bulla_word_load_acquire(slot)))
    }

    @inlinable @inline(__always)
    static func offset(_ index: UInt64) -> Int { Int(index & ((1 << chunkBits) - 1)) * 8 }

    @inlinable @inline(__always)
    package func load(_ index: UInt64) -> UInt64 {
        guard let chunk = unsafe chunk(index) else { return 0 }
        // SAFETY: a chunk holds every offset that `offset` can give.
        return unsafe bulla_word_load_acquire(chunk + Self.offset(index))
    }

    /// Stores a word.
    ///
    /// - Returns: `false` if the index is too great, or there is no memory for the word; then
    ///   nothing is stored.
    @discardableResult
    package func store(_ value: UInt64, at index: UInt64) -> Bool {
        guard let chunk = unsafe chunkMade(index) else { return false }
        unsafe bulla_word_store_release(chunk + Self.offset(index), value)
        return true
    }

    package func exchange(_ expected: UInt64, for desired: UInt64, at index: UInt64) -> Bool {
        guard let chunk = unsafe chunkMade(index) else { return false }
        return unsafe bulla_word_exchange_if(chunk + Self.offset(index), expected, desired)
    }

    private func chunkMade(_ index: UInt64) -> UnsafeMutableRawPointer? {
        if let chunk = unsafe chunk(index) { return unsafe chunk }
        guard index < Self.wordCountLimit, let fresh = unsafe calloc(1 << Int(Self.chunkBits), 8)
        else {
            return nil
        }
        let slot = unsafe rootBase + Int(index >> Self.chunkBits) * 8
        guard unsafe bulla_word_exchange_if(slot, 0, UInt64(UInt(bitPattern: fresh))) else {
            unsafe free(fresh)
            return unsafe chunk(index)
        }
        raiseEnd(index >> Self.chunkBits + 1)
        return unsafe fresh
    }

    /// The word after the slots: the greatest number that a linked chunk has, plus one.
    private var end: UnsafeMutableRawPointer { unsafe rootBase + Int(Self.chunkCount) * 8 }

    private func raiseEnd(_ wanted: UInt64) {
        while true {
            let known = unsafe bulla_word_load_acquire(end)
            if known >= wanted { return }
            if unsafe bulla_word_exchange_if(end, known, wanted) { return }
        }
    }

    deinit {
        // Read slots only as far as chunks were linked: reading every slot would take longer than
        // the rest of closing a small store.
        for index in 0..<(unsafe bulla_word_load_acquire(end)) {
            unsafe free(chunk(index << Self.chunkBits))
        }
    }
}
