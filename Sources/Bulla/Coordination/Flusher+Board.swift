/// What the coordination file says, against what the data file has.
extension Flusher {
    /// Refuses a board that is behind the file: an older record was put back.
    ///
    /// A slot that is being written at this moment does not verify, and says nothing.
    ///
    /// Where there is a log its marks say so, and a newer slot is a checkpoint that was cut short.
    func checkBoard() throws(BullaError) {
        guard !board.hasLog else { return }
        for slot in 0..<MetaPage.slotCount {
            // What claims nothing newer, as they do as a rule, needs no proof.
            let newer = try metas.read(slot: slot) { claim throws(BullaError) in
                let published = try board.record(.published)
                let durable = try board.record(.durable)
                return claim.commit > published.commit || claim.lastDurable > durable.commit
            }
            if let newer { throw isBehind(newer.commit) }
        }
    }

    func isBehind(_ commit: UInt64) -> BullaError {
        BullaError(
            .corrupted,
            "use \(store.path): its coordination file is older than commit \(commit), which the "
                + "file has; close the store everywhere and open it again")
    }

    /// Whether the file has what the board does not know: more than a slot that only confirms what
    /// it knows, which is the next flush's to write again (``CleanClose``).
    func hasNewer() throws(BullaError) -> Bool {
        let known = try board.record(.durable)
        guard let newest = try metas.newest(after: known) else { return false }
        return !newest.confirms(known)
    }

    func checkPoison() throws(BullaError) { try board.poison.check() }
}
