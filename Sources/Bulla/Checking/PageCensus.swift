/// The pages that a check has met, one bit for each page of the file.
struct PageCensus {
    private let range: Range<UInt64>
    private var met: [UInt64]

    /// - Parameters:
    ///   - range: the pages to look for, all of them within the file's present length.
    init(_ range: Range<UInt64>) {
        self.range = range
        met = [UInt64](repeating: 0, count: Int((range.upperBound - range.lowerBound + 63) / 64))
    }

    /// Adds pages; `false` if one of them lies outside the range or was met before.
    mutating func add(_ run: PageRun) -> Bool {
        guard run.start >= range.lowerBound, run.start < range.upperBound,
            run.count <= range.upperBound - run.start
        else { return false }
        var isFresh = true
        for number in run.start..<run.end {
            let bit = number - range.lowerBound
            let mask: UInt64 = 1 << (bit % 64)
            if met[Int(bit / 64)] & mask != 0 { isFresh = false }
            met[Int(bit / 64)] |= mask
        }
        return isFresh
    }

    /// Runs of pages that were not met, at most ``CheckReport/defectLimit`` of them.
    func missing() -> [PageRun] {
        var runs: [PageRun] = []
        for number in range {
            let bit = number - range.lowerBound
            guard met[Int(bit / 64)] & (1 << (bit % 64)) == 0 else { continue }
            if let last = runs.last, last.end == number {
                runs[runs.count - 1].count += 1
            } else if runs.count < CheckReport.defectLimit {
                runs.append(PageRun(start: number, count: 1))
            } else {
                break
            }
        }
        return runs
    }
}

/// Pages that the store keeps for later use.
///
/// Once the count exceeds the number of pages in the file, further runs are counted, but not
/// listed.
struct KeptPages {
    private let limit: UInt64
    private(set) var runs: [PageRun] = []
    /// How many pages were added; a page that was added twice counts twice.
    private(set) var count: UInt64 = 0

    init(limit: UInt64) { self.limit = limit }

    mutating func add(_ more: [PageRun]) {
        for run in more {
            let sum = count.addingReportingOverflow(run.count)
            count = sum.overflow ? .max : sum.partialValue
            if count <= limit { runs.append(run) }
        }
    }
}
