/// The pages that the next commit takes first: a run, and further pages that lie shortly after it.
///
/// A commit that finds no run long enough gathers scattered pages. Then it also takes free pages
/// that it does not need, shortly after the last one that it needs. It leaves these spare pages to
/// later commits, which then need not change the free map.
package struct PageWindow: Hashable, Sendable {
    /// How many pages a window of more than one run spans at most.
    static let span: UInt64 = 64

    package var run: PageRun
    /// The pages that are not in the run, one bit each: bit `n` stands for page `run.start + n`.
    package var others: UInt64 = 0

    package static let empty = PageWindow(run: .empty)

    package init(run: PageRun, others: UInt64 = 0) {
        self.run = run
        self.others = others
    }

    /// Makes a window from runs, which may be in any order.
    ///
    /// If there is more than one run, all must lie within ``span`` pages.
    package init(_ runs: [PageRun]) {
        let runs = runs.sorted { $0.start < $1.start }
        self.init(run: runs.first ?? .empty)
        for other in runs.dropFirst() {
            precondition(Self.canHold(other, from: run.start), "a window holds what is left")
            others |= Self.bits(from: other.start - run.start, to: other.end - run.start)
        }
    }

    /// Whether a window that begins with page `first` can also hold a later run.
    package static func canHold(_ run: PageRun, from first: UInt64) -> Bool {
        run.start > first && run.end <= first + span
    }

    /// Whether a commit can have left this window in a file with these pages.
    package func isPlausible(in pages: Range<UInt64>) -> Bool {
        guard run.count > 0 else { return others == 0 }
        return run.start >= pages.lowerBound && run.start <= pages.upperBound
            && max(run.count, Self.span - UInt64(others.leadingZeroBitCount))
                <= pages.upperBound - run.start
            && others & Self.bits(from: 0, to: run.count) == 0
    }

    package var pageCount: UInt64 { run.count &+ UInt64(others.nonzeroBitCount) }

    /// The window's pages as runs, in ascending order.
    package var runs: [PageRun] {
        let numbers = (0..<Self.span).filter { others >> $0 & 1 == 1 }.map { run.start &+ $0 }
        return (run.count > 0 ? [run] : []) + PageRun.runs(of: numbers)
    }

    /// A mask of the bits in a range; shifts by 64 or more give 0.
    private static func bits(from start: UInt64, to end: UInt64) -> UInt64 {
        UInt64.max << start & ~(UInt64.max << end)
    }
}
