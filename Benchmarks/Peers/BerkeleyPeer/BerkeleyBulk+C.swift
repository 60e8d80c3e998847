internal import CBerkeleyDB

/// The records that one bulk read has put into a buffer.
///
/// The records are at the beginning of the buffer. A table, which is read backwards from the
/// buffer's end, has the place and the length of each key and of its value; an invalid place ends
/// the table.
@safe struct BerkeleyBulk {
    private let base: UnsafeRawPointer
    private var entry: Int

    /// - Parameter found: the result of a read with `DB_MULTIPLE_KEY`; its bytes must not change
    ///   while records are read from it.
    init?(_ found: DBT) {
        guard let base = unsafe found.data else { return nil }
        unsafe self.base = UnsafeRawPointer(base)
        entry = unsafe Int(found.ulen) - 4
    }

    /// Lends the next record.
    ///
    /// - Returns: false if there is none.
    @inline(__always)
    mutating func next(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) -> Bool {
        let keyStart = word(0)
        guard keyStart != .max else { return false }
        // SAFETY: the library wrote the table, and the bytes that it names, into the buffer.
        let key = unsafe UnsafeRawBufferPointer(start: base + Int(keyStart), count: Int(word(1)))
        let value = unsafe UnsafeRawBufferPointer(start: base + Int(word(2)), count: Int(word(3)))
        entry -= 16
        unsafe body(RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: value))
        return true
    }

    @inline(__always)
    private func word(_ index: Int) -> UInt32 {
        // SAFETY: as above; the buffer is aligned and its length a multiple of four.
        unsafe base.load(fromByteOffset: entry - 4 * index, as: UInt32.self)
    }
}
