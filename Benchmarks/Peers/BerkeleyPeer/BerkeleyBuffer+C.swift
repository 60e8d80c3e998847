internal import BullaBenchKit
internal import CBerkeleyDB

/// Memory of one thread that Berkeley DB puts what it finds in, and that grows when it must.
///
/// A handle that threads share lends nothing of its own.
@safe final class BerkeleyBuffer {
    private var memory: UnsafeMutableRawBufferPointer

    init(byteCount: Int) {
        // SAFETY: freed in deinit, or where it is replaced.
        unsafe memory = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit {
        // SAFETY: allocated by this, and used by nobody any more.
        unsafe memory.deallocate()
    }

    /// Makes a call that fills the buffer, again with a larger one where it was too small.
    ///
    /// - Returns: the call's code, and how the memory is described to the library.
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

    /// Lends what `fill` found, which stays until it is called again.
    @inline(__always)
    static func lend<R>(_ found: DBT, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: as said.
        let bytes = unsafe UnsafeRawBufferPointer(start: found.data, count: Int(found.size))
        return try body(unsafe RawSpan(_unsafeBytes: bytes))
    }

    /// Bytes as the library takes them.
    ///
    /// The caller hands them to a call that reads them while the span lives, and does not write.
    @inline(__always)
    static func of(_ bytes: RawSpan) -> DBT {
        // SAFETY: as said.
        unsafe bytes.withUnsafeBytes { buffer in
            var value = unsafe DBT()
            unsafe value.data = UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            unsafe value.size = UInt32(buffer.count)
            unsafe value.ulen = unsafe value.size
            unsafe value.flags = UInt32(DB_DBT_USERMEM)
            return unsafe value
        }
    }

    /// A multiple of a kilobyte, as reads in bulk want it, and at least twice what it was.
    private func grow(to byteCount: Int) {
        let count = unsafe max(2 * memory.count, (byteCount + 2_047) / 1_024 * 1_024)
        // SAFETY: nothing names the old memory any more.
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: count, alignment: 16)
    }
}
