internal import Bulla
internal import Glibc

/// Unique bytes, which a worker and its test derive from one seed.
///
/// A worker lends them from a buffer that it wipes. If they are found afterwards, the engine has
/// kept them.
package struct Canary: ByteSource, Sendable {
    package let seed: Int
    /// Follows the bytes of the seed, and distinguishes canaries of one seed.
    private let suffix: UInt64?

    package static let byteCount = 32

    package init(seed: Int, suffix: UInt64? = nil) {
        self.seed = seed
        self.suffix = suffix
    }

    private var wholeByteCount: Int { Self.byteCount + (suffix == nil ? 0 : 8) }

    /// The bytes, for use by the test.
    package var bytes: [UInt8] { array() }

    /// The bytes, in memory that belongs to the caller, which must wipe it.
    package func array() -> [UInt8] {
        // SAFETY: there is room for as many bytes as are filled.
        unsafe [UInt8](unsafeUninitializedCapacity: wholeByteCount) { buffer, count in
            unsafe fill(UnsafeMutableRawBufferPointer(buffer))
            count = wholeByteCount
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        // Move the seeds far apart, because the generator's sequences for neighbouring seeds
        // overlap.
        var random = TestRandom(seed: seed &* 1_000_003)
        for offset in stride(from: 0, to: Self.byteCount, by: 8) {
            // SAFETY: a canary consists of whole words.
            unsafe buffer.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
        }
        guard let suffix else { return }
        unsafe buffer.storeBytes(
            of: suffix.bigEndian, toByteOffset: Self.byteCount, as: UInt64.self)
    }

    /// Copies and compares zeros, in the lengths that canaries have, to overwrite the vector
    /// registers.
    ///
    /// A core dump also holds the vector registers, and in them the bytes that were copied last.
    package static func overwriteRegisters() {
        for count in [byteCount, byteCount + 1, 64, 128, 256] {
            let base = UnsafeMutableRawPointer.allocate(byteCount: 2 * count, alignment: 8)
            // SAFETY: two halves of a buffer of this call.
            unsafe memset(base, 0, 2 * count)
            unsafe memcpy(base + count, base, count)
            let isSame = unsafe memcmp(base + count, base, count) == 0
            precondition(isSame, "zeros are zeros")
            unsafe base.deallocate()
        }
    }

    /// Overwrites the stack below this call.
    ///
    /// The dynamic loader saves all vector registers there when it looks up a function for its
    /// first call. Nobody wipes what it saves there; no engine can.
    @inline(never)
    package static func overwriteStack() {
        var area = InlineArray<16384, UInt8>(repeating: 1)
        // SAFETY: memory of this call.
        unsafe withUnsafeMutableBytes(of: &area) { bytes in
            if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
        }
    }

    /// Lends the bytes once.
    package func withBytes<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R { try lend(times: 1, body) }

    /// Lends the bytes `times` times in a row.
    package func lend<R: ~Copyable, E: Error>(
        times: Int, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        let count = wholeByteCount * times
        // SAFETY: bytes of this call, filled before they are lent and wiped before they are freed.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer {
            unsafe Self.wipe(buffer)
            unsafe buffer.deallocate()
        }
        for start in stride(from: 0, to: count, by: wholeByteCount) {
            let part = unsafe buffer[start..<start + wholeByteCount]
            unsafe fill(UnsafeMutableRawBufferPointer(rebasing: part))
        }
        return try body(unsafe UnsafeRawBufferPointer(buffer).bytes)
    }

    /// Wipes a copy that the worker received.
    package static func wipe(_ bytes: inout [UInt8]) {
        // SAFETY: the array is unshared; if it were shared, only a copy would be wiped, which a
        // test notices.
        unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    private static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { return }
        unsafe explicit_bzero(base, buffer.count)
    }

    package static func wipe(_ bytes: inout [UInt8]?) {
        if var copy = bytes.take() { wipe(&copy) }
    }
}
