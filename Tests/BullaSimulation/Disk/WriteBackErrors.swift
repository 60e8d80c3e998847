/// Which failed write-backs the kernel has reported to which open files, like its `errseq_t`.
///
/// Each open file learns once of failures since it was opened. A failure that no open file has
/// learnt of is also reported to files opened later.
struct WriteBackErrors {
    private struct Record {
        var failureCount = 0
        var isTold = true
        var number: Int32 = 0
    }

    private var files: [Int: Record] = [:]
    /// For each open file, how many of the file's failures are settled: it has been told of them,
    /// or need not be told.
    private var known: [Int: Int] = [:]

    mutating func open(_ file: Int, by open: Int) {
        let record = files[file, default: Record()]
        known[open] = record.failureCount - (record.isTold ? 0 : 1)
    }

    mutating func fail(_ file: Int, _ number: Int32) {
        var record = files[file, default: Record()]
        record.failureCount += 1
        record.isTold = false
        record.number = number
        files[file] = record
    }

    /// The error that a flush through this open file reports; `nil` if there is none, or if this
    /// open file has already been told.
    mutating func tell(_ file: Int, _ open: Int) -> Int32? {
        guard let record = files[file], known[open, default: 0] < record.failureCount else {
            return nil
        }
        known[open] = record.failureCount
        files[file]?.isTold = true
        return record.number
    }
}
