internal import BullaMemory

/// How long the halves of the log are.
extension WriteState {
    /// Gives a half that is free another run of pages, with random bytes.
    ///
    /// What it had before is freed; recovery from the other slot may still need it.
    ///
    /// - Parameters:
    ///   - sequence: a use of the half, which nobody begins before this is committed.
    ///   - run: longer than what it has; this transaction's own.
    /// - Throws: `full`, `io`; then the half stays as it is.
    func moveHalf(of sequence: UInt64, to run: PageRun) throws(BullaError) {
        guard var log else { return }
        do throws(BullaError) { try LogHalf([run], format).fill(pager.file) } catch {
            // Pages of which nobody has heard.
            space.returned += run.start..<run.end
            throw error
        }
        let former = log[sequence]
        freed += (former.start..<former.end).map { FreedPage(number: $0, birth: commit) }
        log[sequence] = run
        self.log = log
    }
}
