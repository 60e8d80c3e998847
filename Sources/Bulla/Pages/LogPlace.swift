/// A byte of the log.
///
/// The halves are used in turn, and each use has the next sequence number: even ones lie in half 0.
package struct LogPlace: Hashable, Sendable {
    package static let halfCount = 2

    /// Of the half's use.
    package var sequence: UInt64
    /// From the beginning of the half.
    package var offset: UInt64

    package init(sequence: UInt64, offset: UInt64) {
        self.sequence = sequence
        self.offset = offset
    }

    /// Which half it lies in.
    package var half: Int { Int(sequence % UInt64(Self.halfCount)) }
}
