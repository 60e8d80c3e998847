/// The value of a generated record: random printable bytes.
///
/// - Source: YCSB 0.17, `RandomByteIterator`: 64 characters upwards of the space, each equally
///   likely.
package enum YCSBValue {
    /// Appends `count` bytes.
    package static func append(_ count: Int, _ random: inout Random, to bytes: inout [UInt8]) {
        var bits: UInt64 = 0
        for index in 0..<count {
            if index % 10 == 0 { bits = random.next() }
            bytes.append(UInt8(ascii: " ") + UInt8(bits & 63))
            bits >>= 6
        }
    }
}
