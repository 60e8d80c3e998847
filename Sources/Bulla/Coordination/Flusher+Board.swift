/// What the coordination file says, against what the data file has.
extension Flusher {
    func isBehind(_ commit: UInt64) -> BullaError {
        BullaError(
            .corrupted,
            "use \(store.path): its coordination file is older than commit \(commit), which the "
                + "file has; close the store everywhere and open it again")
    }

    /// Whether the file has what the board does not know: more than a slot that only confirms what
    /// it knows.
    func hasNewer() throws(BullaError) -> Bool {
        let known = try board.checkpoint()
        guard let newest = try metas.newest(after: known) else { return false }
        return newest.commit != known.commit || newest.keyEpoch != known.keyEpoch
            || newest.keyringGeneration != known.keyringGeneration || newest.log != known.log
    }

    func checkPoison() throws(BullaError) { try board.poison.check() }
}
