/// What the coordination file says, against what the data file has.
extension Flusher {
    func isBehind(_ commit: UInt64) -> BullaError {
        BullaError(
            .corrupted,
            "use \(store.path): its coordination file is older than commit \(commit), which the "
                + "file has; close the store everywhere and open it again")
    }

    /// Whether the file has what the board does not know.
    func hasNewer() throws(BullaError) -> Bool {
        try metas.newest(after: board.checkpoint()) != nil
    }

    func checkPoison() throws(BullaError) { try board.poison.check() }
}
