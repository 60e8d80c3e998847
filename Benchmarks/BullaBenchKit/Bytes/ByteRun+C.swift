/// Byte strings stored one after the other in one piece of memory.
///
/// The harness lays out the keys and values of a slice (a short, timed piece of work) in such runs
/// before the clock starts, so no timed allocation or cache miss is the harness's own.
public struct ByteRun: Sendable {
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var ends: [Int] = [0]

    /// An empty run.
    public init() {}

    /// How many strings there are.
    public var count: Int { ends.count - 1 }
    package var byteCount: Int { bytes.count }

    package mutating func reserve(count: Int, byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(count + 1)
    }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        ends.append(0)
    }

    package mutating func append(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        ends.append(bytes.count)
    }

    /// Appends a copy of a span's bytes.
    public mutating func append(_ string: RawSpan) {
        // SAFETY: the buffer lives as long as the span.
        unsafe string.withUnsafeBytes { buffer in unsafe bytes.append(contentsOf: buffer) }
        ends.append(bytes.count)
    }

    /// Lends string `index`; inlinable, because adapters in other packages call it for each record.
    @inlinable @inline(__always)
    public func withBytes<R>(_ index: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: the span stays inside `bytes`, which is borrowed while `body` runs.
        try unsafe bytes.withUnsafeBytes { buffer in
            try body(unsafe RawSpan(_unsafeBytes: buffer).extracting(ends[index]..<ends[index + 1]))
        }
    }
}

extension Range<Int> {
    /// Calls `body` with parts of the range, each of `count` elements; the last can be shorter.
    @inlinable @inline(__always)
    public func forEachPart(of count: Int, _ body: (Range<Int>) throws -> Void) rethrows {
        for first in stride(from: lowerBound, to: upperBound, by: count) {
            try body(first..<Swift.min(first + count, upperBound))
        }
    }
}

/// Hashes of records: fast, spread over 64 bits, the same on every machine, but not cryptographic.
///
/// - Source: the folded multiplication of wyhash (Wang Yi, 2019).
@usableFromInline package enum RecordHash {
    /// Hashes a key and its value; the hash depends on where the key ends and the value begins.
    @inline(__always) package static func hash(_ key: RawSpan, _ value: RawSpan) -> UInt64 {
        let seed = hash(key, seed: 0xA076_1D64_78BD_642F)
        return hash(value, seed: seed)
    }

    package static func hash(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        // SAFETY: the words read lie inside the buffer, which lives as long as the span.
        unsafe bytes.withUnsafeBytes { buffer in
            // The seed is mixed, because a factor of zero would erase what it is multiplied by.
            var state = Random.mixed(seed ^ UInt64(buffer.count))
            var place = 0
            while place + 16 <= buffer.count {
                state = unsafe folded(
                    word(buffer, place) ^ 0xE703_7ED1_A0B4_28DB, word(buffer, place + 8) ^ state)
                place += 16
            }
            return unsafe folded(tail(buffer, place) ^ 0x8EBC_6AF0_9C88_C6E3, state)
        }
    }

    /// Combines the length and the first and last words of a value, which touches both ends of its
    /// memory but costs less than a hash.
    @inlinable @inline(__always) package static func glance(_ value: RawSpan) -> UInt64 {
        // SAFETY: the words read lie inside the buffer, which lives as long as the span.
        unsafe value.withUnsafeBytes { buffer in
            guard buffer.count >= 8 else { return unsafe tail(buffer, 0) }
            return unsafe word(buffer, 0) &+ word(buffer, buffer.count - 8) &+ UInt64(buffer.count)
        }
    }

    @inlinable @inline(__always)
    static func word(_ buffer: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        // SAFETY: the callers have checked that the buffer has eight bytes from `place` on.
        unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    /// Folds the bytes from `place` on (at most 15) and their count into a word.
    @usableFromInline static func tail(_ buffer: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        var words: (UInt64, UInt64) = (UInt64(buffer.count - place) << 56, 0)
        for index in place..<buffer.count {
            let shift = UInt64(index - place) % 8 * 8
            let byte = unsafe UInt64(buffer[index]) << shift
            if index - place < 8 { words.1 ^= byte } else { words.0 ^= byte }
        }
        return folded(words.0 ^ 0x5895_65A5_D1B3_9BD5, words.1 ^ 0x1D8E_4E27_C47D_124F)
    }

    @inline(__always) private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
