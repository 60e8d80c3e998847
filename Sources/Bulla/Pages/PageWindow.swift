/// The pages that the next commit takes first: a run, and others close behind it.
///
/// So a commit that found no run long enough leaves its successors what else is free where it took
/// its pages, and they need not change the free map.
package struct PageWindow: Hashable, Sendable {
    /// How many pages it spans at most, unless it is a run alone.
    static let span: UInt64 = 64

    package var run: PageRun
    /// Further pages: a bit each, the lowest for the first page of the run.
    package var others: UInt64 = 0

    package static let empty = PageWindow(run: .empty)

    package init(run: PageRun, others: UInt64 = 0) {
        self.run = run
        self.others = others
    }

    /// Of runs in any order; more than one lie no further apart than a window can hold.
    package init(_ runs: [PageRun]) {
        let runs = runs.sorted { $0.start < $1.start }
        self.init(run: runs.first ?? .empty)
        for other in runs.dropFirst() {
            precondition(Self.canHold(other, from: run.start), "a window holds what is left")
            others |= Self.bits(from: other.start - run.start, to: other.end - run.start)
        }
    }

    /// Whether one that begins with page `first` can hold a run behind it.
    package static func canHold(_ run: PageRun, from first: UInt64) -> Bool {
        run.start > first && run.end <= first + span
    }

    /// Whether its pages can be those of a file.
    package func isPlausible(in pages: Range<UInt64>) -> Bool {
        guard run.count > 0 else { return others == 0 }
        return run.start >= pages.lowerBound && run.start <= pages.upperBound
            && max(run.count, Self.span - UInt64(others.leadingZeroBitCount))
                <= pages.upperBound - run.start
            && others & Self.bits(from: 0, to: run.count) == 0
    }

    package var pageCount: UInt64 { run.count &+ UInt64(others.nonzeroBitCount) }

    /// Its pages, ascending.
    package var runs: [PageRun] {
        let numbers = (0..<Self.span).filter { others >> $0 & 1 == 1 }.map { run.start &+ $0 }
        return (run.count > 0 ? [run] : []) + PageRun.runs(of: numbers)
    }

    /// Shifts of 64 and more leave nothing.
    private static func bits(from start: UInt64, to end: UInt64) -> UInt64 {
        UInt64.max << start & ~(UInt64.max << end)
    }
}
