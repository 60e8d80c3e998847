/// The value of a generated record: the same bytes for each record.
///
/// What compresses and compares best: a run with it against one with random values tells what an
/// engine gains from that.
package enum FixedValue {
    private static let pattern = Array("abcdefghijklmnopqrstuvwxyz".utf8)

    /// Appends `count` bytes.
    package static func append(_ count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(pattern[index % pattern.count]) }
    }
}
