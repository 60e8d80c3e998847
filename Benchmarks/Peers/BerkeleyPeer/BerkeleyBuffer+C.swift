internal import BullaBenchKit
internal import CBerkeleyDB

/// A thread's memory, into which Berkeley DB copies what it finds, and which grows if necessary.
///
/// Berkeley DB does not lend its own memory through a handle that threads share.
@safe final class BerkeleyBuffer {
    private var memory: UnsafeMutableRawBufferPointer

    init(byteCount: Int) {
        // SAFETY: freed in deinit, or when it is replaced.
        unsafe memory = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit {
        // SAFETY: allocated by this object, and no longer used.
        unsafe memory.deallocate()
    }

    /// Makes a call that fills the buffer; if the buffer was too small, enlarges it, and calls
    /// again.
    ///
    /// - Returns: the call's code, and the description of the bytes that the call has found.
    @inline(__always)
    func fill(_ body: (inout DBT) -> Int32) -> (code: Int32, found: DBT) {
        while true {
            // SAFETY: the description names the memory, which only `grow` changes.
            var found = unsafe DBT()
            unsafe found.data = unsafe memory.baseAddress
            unsafe found.ulen = UInt32(memory.count)
            unsafe found.flags = UInt32(DB_DBT_USERMEM)
            let code = unsafe body(&found)
            guard code == DB_BUFFER_SMALL else { return unsafe (code, found) }
            unsafe grow(to: Int(found.size))
        }
    }

    /// Lends found bytes: those from `fill` are valid until `fill` is called again, and those at a
    /// cursor until the cursor moves.
    @inline(__always)
    static func lend<R>(_ found: DBT, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: see above.
        let bytes = unsafe UnsafeRawBufferPointer(start: found.data, count: Int(found.size))
        return try body(unsafe RawSpan(_unsafeBytes: bytes))
    }

    /// Describes bytes for the library.
    ///
    /// The caller may pass the description only to a call that does not write to the bytes, and
    /// reads them only while the span is alive.
    @inline(__always)
    static func of(_ bytes: RawSpan) -> DBT {
        // SAFETY: see above.
        unsafe bytes.withUnsafeBytes { buffer in
            var value = unsafe DBT()
            unsafe value.data = UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            unsafe value.size = UInt32(buffer.count)
            unsafe value.ulen = unsafe value.size
            unsafe value.flags = UInt32(DB_DBT_USERMEM)
            return unsafe value
        }
    }

    /// At least doubles the memory, to a whole number of kilobytes, which bulk reads require.
    private func grow(to byteCount: Int) {
        let count = unsafe max(2 * memory.count, (byteCount + 2_047) / 1_024 * 1_024)
        // SAFETY: nothing refers to the old memory now.
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: count, alignment: 16)
    }
}
