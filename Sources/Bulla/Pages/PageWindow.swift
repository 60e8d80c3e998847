/// The pages that the next commit takes first: a run, some of whose pages may be in use.
///
/// So a commit that found no run long enough leaves its successors what else is free where it took
/// its pages, and they need not change the free map.
package struct PageWindow: Hashable, Sendable {
    /// How many pages one spans at most that has holes.
    static let span: UInt64 = 64

    package var run: PageRun
    /// A bit for each page of the run that is in use, the lowest for the first page.
    package var holes: UInt64 = 0

    package static let empty = PageWindow(run: .empty)

    package init(run: PageRun, holes: UInt64 = 0) {
        self.run = run
        self.holes = holes
    }

    /// Of runs in any order; more than one span no more than a window can.
    package init(_ runs: [PageRun]) {
        let runs = runs.sorted { $0.start < $1.start }
        guard let first = runs.first, let last = runs.last else {
            self = .empty
            return
        }
        self.init(run: PageRun(start: first.start, count: last.end - first.start))
        precondition(runs.count == 1 || run.count <= Self.span, "a window holds what is left")
        for (run, next) in zip(runs, runs.dropFirst()) {
            holes |= Self.bits(from: run.end - first.start, to: next.start - first.start)
        }
    }

    /// Whether one that begins with page `first` can hold a run behind it.
    package static func canHold(_ run: PageRun, from first: UInt64) -> Bool {
        run.start > first && run.end <= first + span
    }

    /// Whether the numbers can be true.
    package var isPlausible: Bool { holes == 0 || holes & ~Self.bits(from: 0, to: run.count) == 0 }

    /// How many of its pages may be taken.
    package var freeCount: UInt64 { run.count.subtractingOrZero(UInt64(holes.nonzeroBitCount)) }

    /// What may be taken, ascending.
    package var runs: [PageRun] {
        guard holes != 0 else { return run.count > 0 ? [run] : [] }
        let free = Self.bits(from: 0, to: run.count) & ~holes
        return PageRun.runs(
            of: (0..<Self.span).filter { free >> $0 & 1 == 1 }.map { run.start &+ $0 })
    }

    /// Shifts of 64 and more leave nothing.
    private static func bits(from start: UInt64, to end: UInt64) -> UInt64 {
        UInt64.max << start & ~(UInt64.max << end)
    }
}
