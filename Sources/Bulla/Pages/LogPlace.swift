/// The place of a byte in the log.
///
/// The halves are used in turn, and each use has the next sequence number. Uses with even numbers
/// lie in half 0.
package struct LogPlace: Hashable, Sendable {
    package static let halfCount = 2

    /// The sequence number of the use in which the byte lies.
    package var sequence: UInt64
    /// The offset from the beginning of the half.
    package var offset: UInt64

    package init(sequence: UInt64, offset: UInt64) {
        self.sequence = sequence
        self.offset = offset
    }

    /// The half in which the byte lies.
    package var half: Int { Int(sequence % UInt64(Self.halfCount)) }
}
