extension ByteView {
    /// Whether all bytes are zero; how long this takes does not reveal where a nonzero byte is.
    package var isZero: Bool { unionOfWords == 0 }

    /// The bitwise OR of all bytes, eight at a time.
    ///
    /// It tells whether a bit is set in any byte, but not in which byte.
    ///
    /// The last eight bytes are read at once, even if some of them are read twice: most texts are
    /// short, and reading their last bytes one by one would take longer than all the rest.
    @inline(__always)
    var unionOfWords: UInt64 {
        guard byteCount >= 8 else { return unionOfShort }
        var seen = load(UInt64.self, at: byteCount - 8)
        for offset in stride(from: 0, to: byteCount - 8, by: 8) {
            seen |= load(UInt64.self, at: offset)
        }
        return seen
    }

    /// The bitwise OR of fewer than eight bytes.
    @inline(__always)
    private var unionOfShort: UInt64 {
        if byteCount >= 4 {
            let (first, last) = (load(UInt32.self, at: 0), load(UInt32.self, at: byteCount - 4))
            return UInt64(first | last)
        }
        var seen: UInt8 = 0
        for offset in 0..<byteCount { seen |= load(UInt8.self, at: offset) }
        return UInt64(seen)
    }
}
