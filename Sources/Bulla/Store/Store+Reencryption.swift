internal import BullaCipher

/// The progress of a re-encryption.
public enum ReencryptionProgress: Sendable, Hashable {
    /// Pages have been sealed anew.
    ///
    /// The total counts all pages that the trees had at the beginning, even those that an earlier
    /// call or another writer has already sealed under the new secret. So the completed count may
    /// never reach the total.
    case sealing(TaskProgress)
    /// Waiting for this many snapshots in these processes; the snapshots still need pages under the
    /// former secret.
    ///
    /// `isLagging` is `true` if another process has the store open, but has not used it since the
    /// new secret came into use. The wait for that process ends when the process uses the store in
    /// any way, or closes the store.
    case waiting(snapshots: Int, processes: [Int], isLagging: Bool)
    /// Pages of the file have been examined, and overwritten if they were sealed under the former
    /// secret.
    case erasing(TaskProgress)
}

/// Begins to use new data keys, or a new master secret.
extension Store {
    /// Starts using new data keys for newly written pages.
    ///
    /// This revokes nothing: whoever has a key of the store, or the master secret, can read old and
    /// new pages. Existing pages stay as they are. The purpose of the call is to limit how much one
    /// data key seals. To replace the master secret, use `reencrypt(keys:)`.
    ///
    /// - Throws: `notEncrypted`, `readOnly`, `busy`, `poisoned`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`.
    /// - Complexity: one flush, whatever the size of the store.
    public func rotateDataKeys() throws(BullaError) {
        guard core.parts.ciphers.secret != nil else {
            throw BullaError.plain("rotate the data keys of \(path)")
        }
        try core.entrance.use { () throws(BullaError) in
            let turn = try RecordTurn(core)
            try core.trees.beginEpoch(.next)
            // The turn holds its lock up to here.
            _ = consume turn
        }
    }

    /// Replaces the master secret, and seals every page anew under it.
    ///
    /// This revokes the former secret, and every key that is not kept. When the call returns, the
    /// former secret opens nothing in this file: all pages, even free ones, have been sealed anew
    /// or overwritten. Somebody who has a former key and an earlier copy of the file cannot read
    /// later writes. Older copies and backups stay readable with the former secret. A copy that is
    /// made while the call runs can hold both secrets. The call cannot reach what a file system or
    /// a disk keeps of overwritten blocks.
    ///
    /// A kept key still opens older copies. Somebody who knows the former secret can add commits to
    /// such a copy and put it in the file's place, and an anchor does not detect that. If an
    /// attacker can write to the file, change the kept keys too (`changeKey(to:)`), and stop using
    /// the former ones.
    ///
    /// The call waits without limit for older snapshots, even the caller's own, and for processes
    /// that have not used the store since the new secret came into use. Only `progress` can end
    /// that wait.
    ///
    /// Other threads and processes can read and write meanwhile. The pages are sealed anew in
    /// portions, each in a transaction of its own, so an interruption loses no finished portion:
    /// `resumeReencryption()` continues. Until the end, the store opens with the keys in `keys`,
    /// and the file holds both secrets.
    ///
    /// - Parameters:
    ///   - keys: the keys that open the store from now on. Each must open one of the store's slots,
    ///     which keeps its number and its label.
    ///   - droppingOtherSlots: whether slots that none of the keys opens may be removed.
    ///   - pace: the share of the time that the call spends working, above 0 and up to 1. It sleeps
    ///     for the rest, so that other commits wait less. Use 1 if nothing else uses the store at
    ///     the same time.
    ///   - progress: receives the progress from time to time; by throwing, it stops the
    ///     re-encryption, which can be resumed.
    /// - Throws: `invalidArgument` for a pace out of range, for no keys, and if slots would be
    ///   removed without `droppingOtherSlots`; `wrongKey`, `keySlotNotFound`; `busy` if another
    ///   thread or process re-encrypts the store, or an earlier re-encryption is unfinished. After
    ///   these, nothing has changed. Also what `progress` throws, and `corrupted` if a page is
    ///   damaged; after these, finished work stays. Also `notEncrypted`, `readOnly`, `poisoned`,
    ///   `full`, `io`, `outOfMemory`, `replaced`, `closed`, `usedAfterFork`.
    /// - Complexity: reads the file about three times and writes each live page once, in bounded
    ///   memory.
    public func reencrypt(
        keys: [StoreKey], droppingOtherSlots: Bool = false, pace: Double = 0.5,
        progress: (ReencryptionProgress) throws(BullaError) -> Void = { _ in }
    ) throws(BullaError) {
        let reencryption = Reencryption(core: core)
        try reencryption.check(pace)
        try reencryption.alone { () throws(BullaError) in
            try reencryption.begin(keys, droppingOthers: droppingOtherSlots)
            try reencryption.run(pace, progress)
        }
    }

    /// Continues an unfinished re-encryption; does nothing if there is none.
    ///
    /// - Throws: as `reencrypt(keys:)`.
    public func resumeReencryption(
        pace: Double = 0.5,
        progress: (ReencryptionProgress) throws(BullaError) -> Void = { _ in }
    ) throws(BullaError) {
        let reencryption = Reencryption(core: core)
        try reencryption.check(pace)
        try reencryption.alone { () throws(BullaError) in
            try reencryption.run(pace, progress)
        }
    }

    /// Whether this process knows of an unfinished re-encryption.
    public var isReencrypting: Bool { core.parts.ciphers.secret?.all.hasFormer ?? false }

    /// Replaces the master secret without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`; `cancelled` soon after the task is cancelled.
    public func reencrypt(
        keys: [StoreKey], droppingOtherSlots: Bool = false, pace: Double = 0.5,
        progress: @escaping @Sendable (ReencryptionProgress) throws(BullaError) -> Void = { _ in }
    ) async throws(BullaError) {
        try await core.changeAside(reporting: progress) { [self] report throws(BullaError) in
            try reencrypt(
                keys: keys, droppingOtherSlots: droppingOtherSlots, pace: pace, progress: report)
        }
    }

    /// Continues an unfinished re-encryption without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`; `cancelled` soon after the task is cancelled.
    public func resumeReencryption(
        pace: Double = 0.5,
        progress: @escaping @Sendable (ReencryptionProgress) throws(BullaError) -> Void = { _ in }
    ) async throws(BullaError) {
        try await core.changeAside(reporting: progress) { [self] report throws(BullaError) in
            try resumeReencryption(pace: pace, progress: report)
        }
    }
}

extension Reencryption {
    fileprivate func check(_ pace: Double) throws(BullaError) {
        guard pace > 0, pace <= 1 else {
            throw BullaError(
                .invalidArgument,
                "re-encrypt \(core.parts.path): the pace is \(pace), expected above 0, up to 1")
        }
    }

    /// Takes all steps that an earlier call has not finished.
    fileprivate func run(_ pace: Double, _ report: Report) throws(BullaError) {
        guard let secret = core.parts.ciphers.secret else { return }
        if !secret.all.hasFormer, try !isKeptInAnyCopy() { return }
        let first = secret.all.firstEpoch
        try beginEpoch()
        try reseal(before: first, pace, report)
        try erase(before: first, report)
        try forget(before: first)
    }
}
