/// Compares the coordination file with the data file.
extension MetaWriter {
    func isBehind(_ commit: UInt64) -> BullaError {
        BullaError(
            .corrupted,
            "use \(store.path): its coordination file is older than commit \(commit), which the "
                + "file has; close the store everywhere and open it again")
    }

    /// Whether a meta slot says more than the board; a slot that only confirms the board's
    /// checkpoint says no more.
    func hasNewer() throws(BullaError) -> Bool {
        let known = try board.checkpoint()
        guard let newest = try metas.newest(after: known) else { return false }
        return newest.commit != known.commit || newest.keyEpoch != known.keyEpoch
            || newest.keyringGeneration != known.keyringGeneration || newest.log != known.log
    }

    func checkPoison() throws(BullaError) { try board.poison.check() }
}
