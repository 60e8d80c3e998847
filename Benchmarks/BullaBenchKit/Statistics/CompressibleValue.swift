/// The value of a generated record: a share of it is random, and the rest repeats that.
///
/// A compressor that finds repeats, such as lz4, brings the value to about this share. The random
/// bytes have all 256 values, so that none gets below it.
package struct CompressibleValue: Sendable {
    /// What repeats does so within this distance, which every compressor sees; long enough that
    /// saying where it repeats is nothing.
    private static let pieceByteCount = 1_024

    private let randomShare: Double

    /// - Parameter randomShare: more than nothing, and at most 1: 0.5 of what compresses to half.
    package init(randomShare: Double) {
        precondition(randomShare > 0 && randomShare <= 1, "some of a value is random")
        self.randomShare = randomShare
    }

    /// Appends `count` bytes.
    package func append(_ count: Int, _ random: inout Random, to bytes: inout [UInt8]) {
        for start in stride(from: 0, to: count, by: Self.pieceByteCount) {
            appendPiece(min(Self.pieceByteCount, count - start), &random, to: &bytes)
        }
    }

    private func appendPiece(_ count: Int, _ random: inout Random, to bytes: inout [UInt8]) {
        let randomCount = max(1, Int((Double(count) * randomShare).rounded()))
        let start = bytes.count
        var bits: UInt64 = 0
        for index in 0..<randomCount {
            if index % 8 == 0 { bits = random.next() }
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
        }
        for index in 0..<count - randomCount { bytes.append(bytes[start + index]) }
    }
}
