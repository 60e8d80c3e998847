internal import BullaMemory

/// Erases the parts of the log that are sealed under the former secret.
extension Reencryption {
    /// The maximum number of attempts to begin a segment under the new secret, and then to erase
    /// all older segments; an attempt fails if other writers meanwhile move the log to its other
    /// half.
    private static let beginLimit = 100

    /// Erases everything that the former secret seals in the log and in its marks, which say how
    /// far the log was durable.
    ///
    ///     step      state if a crash follows
    ///     begin     trees that hold all changes of the log; replay begins in a segment that is
    ///               sealed under the new secret
    ///     marks     the same, with marks under the new secret
    ///     erase     the same, with random bytes where the halves hold nothing of the log
    func eraseLog(before first: UInt64) throws(BullaError) {
        let log = try core.log.demand()
        for _ in 0..<Self.beginLimit {
            try beginLogAnew(first)
            if try eraseRemains(of: log, first) { return }
        }
        throw BullaError(
            .busy,
            "erase what the log of \(core.parts.path) has under the former secret: others keep "
                + "moving the log on by their commits")
    }

    /// Commits the trees, so that replay begins in a segment that is sealed under the new secret.
    ///
    /// The commit's root frame goes into a new segment if the newest segment is sealed under
    /// another secret.
    private func beginLogAnew(_ first: UInt64) throws(BullaError) {
        var turn = try WriterTurn(core)
        try checkEpoch(first)
        _ = try turn.directChange()
        try Settling(core: core).settle(try turn.publish(.full), .full)
    }

    /// - Returns: `false` if the log has moved on to its other half. Nothing was erased then,
    ///   because in the half that the log has left, the bytes that are still part of the log cannot
    ///   be told from older ones.
    private func eraseRemains(
        of log: StoreLog, _ first: UInt64
    ) throws(BullaError) -> Bool {
        try core.entrance.use { () throws(BullaError) in
            // While this turn lasts, no other thread or process appends, and no half is reused.
            let turn = try log.shared.beginCommit()
            let base = try core.trees.lock()
            defer { core.trees.unlock() }
            try checkEpoch(first)
            try core.metaWriter.confirmCheckpoint()
            guard try turn.eraseRemains(outside: LogPosition(base)) else { return false }
            try core.metaWriter.flushPages()
            return true
        }
    }
}
