internal import BullaMemory

/// How long the halves of the log are.
extension WriteState {
    /// Gives a half that is free a longer run of pages, at the end of the file, with random bytes.
    ///
    /// What it had before is freed; recovery from the other slot may still need it.
    ///
    /// - Parameters:
    ///   - sequence: a use of the half, which nobody begins before this is committed.
    ///   - pageCount: no less than it has.
    /// - Throws: `full`, `io`; then the half stays as it is.
    func growHalf(of sequence: UInt64, to pageCount: UInt64) throws(BullaError) {
        guard var log, pageCount > log[sequence].count else { return }
        let (former, run) = (log[sequence], try makeRun(pageCount))
        do throws(BullaError) { try LogHalf([run], format).fill(pager.file) } catch {
            // Pages of this transaction's own, of which nobody has heard.
            space.returned += run.start..<run.end
            throw error
        }
        freed += (former.start..<former.end).map { FreedPage(number: $0, birth: commit) }
        log[sequence] = run
        self.log = log
    }
}
