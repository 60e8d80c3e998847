/// A run of consecutive pages.
package struct PageRun: Hashable, Sendable {
    package var start: UInt64
    package var count: UInt64
    package var end: UInt64 { start &+ count }
    package static let empty = PageRun(start: 0, count: 0)

    package init(start: UInt64, count: UInt64) {
        self.start = start
        self.count = count
    }
}

extension PageRun {
    /// The run, cut into pieces at the multiples of `unit`.
    func pieces(of unit: UInt64) -> [PageRun] {
        var pieces: [PageRun] = []
        var rest = self
        while rest.count > 0 {
            let count = min(rest.count, unit - rest.start % unit)
            pieces.append(PageRun(start: rest.start, count: count))
            rest = PageRun(start: rest.start + count, count: rest.count - count)
        }
        return pieces
    }

    /// The runs of consecutive numbers in an ascending list of numbers.
    package static func runs(of numbers: [UInt64]) -> [PageRun] {
        var runs: [PageRun] = []
        for number in numbers {
            if let last = runs.last, last.end == number {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(PageRun(start: number, count: 1))
            }
        }
        return runs
    }
}
