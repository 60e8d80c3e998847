/// How a round is cut into slices.
package struct SlicePlan: Sendable, Equatable {
    /// Long enough that starting it is nothing, short enough that all contenders see the same
    /// machine.
    package static let nanoseconds = 100e6
    /// In open loop: long enough for a tail to show.
    package static let openNanoseconds = 1e9
    /// Groups of slices in a round.
    package static let groupCount = 2
    /// No slice lays out more than this in memory.
    package static let operationLimit = 1 << 20

    /// The operations of each thread in each slice.
    ///
    /// Two neighbours make a group, in which every contender has its turn, and then again in the
    /// opposite order, so that a drift of the machine falls on all of them.
    package let operations: [Int]
    /// So many threads of the whole run, from its first, do one more in each slice.
    package let further: Int

    /// Slices of `operations`, in as many groups as a round has.
    package init(each operations: Int, further: Int = 0) {
        self.operations = Array(repeating: operations, count: 2 * Self.groupCount)
        self.further = further
    }

    /// Slices in which all threads of a run together do `count` operations.
    package init(all count: Int, runLaneCount: Int) {
        self.init(each: count / runLaneCount, further: count % runLaneCount)
    }

    /// All commits of a load: up to four groups, as equal as they can be.
    package init(loading recordCount: Int, laneCount: Int) {
        let perLane = (recordCount + laneCount - 1) / laneCount
        let commits = (perLane + Workload.recordsPerCommit - 1) / Workload.recordsPerCommit
        let count = max(min(8, commits / 2 * 2), 1)
        further = 0
        operations = (0..<count).map { commits * ($0 + 1) / count - commits * $0 / count }
    }

    /// The operations with which a slice takes about as long as it should, where `operations` took
    /// `nanoseconds`; nil where that was too short to tell.
    package static func calibrated(_ operations: Int, took nanoseconds: Double) -> Int? {
        guard nanoseconds >= Self.nanoseconds / 8 else { return nil }
        let scaled = Double(operations) * Self.nanoseconds / nanoseconds
        return min(max(Int(scaled.rounded()), 1), operationLimit)
    }
}
