internal import BullaMemory

/// Erasing what the log has under the former secret.
extension Reencryption {
    /// How often the log is begun anew, because others had gone on in its other half by then.
    private static let beginLimit = 100

    /// Leaves nothing in the log and in its marks that lies under the former secret.
    ///
    ///     step      what a crash after it leaves
    ///     begin     trees that have all that the log said; replay begins in a segment that lies
    ///               under the new secret
    ///     marks     the same, with marks under the new secret
    ///     erase     the same; random bytes where nothing of the log is
    func eraseLog(before first: UInt64) throws(BullaError) {
        let log = try core.log.demand()
        for _ in 0..<Self.beginLimit {
            try beginLogAnew(first)
            if try eraseRemains(of: log, first) { return }
        }
        throw BullaError(
            .busy,
            "erase what the log of \(core.parts.path) has under the former secret: others commit "
                + "so much that it goes on and on")
    }

    /// Commits trees: the frame that names them begins a segment, as the one before lies under
    /// another secret; or the log has gone on since.
    private func beginLogAnew(_ first: UInt64) throws(BullaError) {
        var turn = try WriterTurn(core)
        try checkEpoch(first)
        _ = try turn.directChange()
        try Settling(core: core).settle(try turn.publish(.full), .full)
    }

    /// - Returns: `false` where the log has gone on in its other half: what lies between is not to
    ///   be told from what was there before.
    private func eraseRemains(
        of log: StoreLog, _ first: UInt64
    ) throws(BullaError) -> Bool {
        try core.entrance.use { () throws(BullaError) in
            // Nobody appends meanwhile, and no half is used anew.
            let turn = try log.shared.beginCommit()
            let base = try core.trees.lock()
            defer { core.trees.unlock() }
            try checkEpoch(first)
            try core.flusher.confirmCheckpoint()
            guard try turn.eraseRemains(outside: LogPosition(base)) else { return false }
            try core.flusher.flushPages()
            return true
        }
    }
}
