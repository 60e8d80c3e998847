internal import BullaCipher
internal import Dispatch

/// How far a re-encryption has come.
public enum ReencryptionProgress: Sendable, Hashable {
    /// Pages were sealed anew; what others write meanwhile counts as well.
    case sealing(done: Int, total: Int)
    /// Snapshots still need pages under the former secret: so many, of these processes.
    ///
    /// `isLagging`: another process has the store open and has not used it since the new secret
    /// began; any use of the store there, or closing it, ends that.
    case waiting(snapshots: Int, processes: [Int], isLagging: Bool)
    /// Pages of the file were looked at, and overwritten where they lay under the former secret.
    case erasing(done: Int, total: Int)
}

/// The two verbs that change more than a slot: new data keys, and a new secret.
extension Store {
    /// Seals new pages under new data keys from here on.
    ///
    /// What it revokes: nothing. Whoever holds a key of the store, or the master secret, reads old
    /// pages and new ones; pages that were sealed before stay as they are. It bounds how much one
    /// data key seals; `reencrypt(keys:)` replaces the secret.
    ///
    /// - Throws: `notEncrypted`, `readOnly`, `busy`, `poisoned`, `io`.
    /// - Complexity: one flush, whatever the size of the store.
    public func rotate() throws(BullaError) {
        guard core.parts.ciphers.secret != nil else {
            throw BullaError.plain("rotate the data keys of \(path)")
        }
        try core.entrance.use { () throws(BullaError) in
            let turn = try RecordTurn(core)
            try core.trees.beginEpoch(.next)
            // Its lock was held up to here.
            _ = consume turn
        }
    }

    /// Replaces the master secret, and seals every page anew under it.
    ///
    /// What it revokes: everything from before. When it returns `true`, the former secret opens
    /// nothing of this file: its pages, also free ones, were sealed anew or overwritten, and
    /// whoever had a former key and a copy of the file reads nothing that is written from then on.
    /// Copies and backups from before stay readable with it, and one that is made before the end
    /// holds both secrets. What a file system or a disk keeps of overwritten blocks is beyond its
    /// reach.
    ///
    /// A key that is kept opens older copies as before: whoever knows their secret can write on in
    /// such a copy and put it whole in the file's place, past an anchor too. Against somebody who
    /// may write the file, change the kept keys as well (`changeKey(to:)`), and use the
    /// former ones no more.
    ///
    /// Waits without limit for snapshots from before, also the caller's own, and for processes that
    /// have not used the store since; only `progress` ends that.
    ///
    /// Others go on reading and writing meanwhile. A portion of the pages is sealed anew in each
    /// transaction, so what was done stays done, whatever cuts it short:
    /// `resumeReencryption()` goes on. Until the end the store opens under the keys
    /// that were given, and the file still holds both secrets.
    ///
    /// - Parameters:
    ///   - keys: what is to open the store from now on; each must open one of its slots, which
    ///     keeps its number and its label.
    ///   - droppingOtherSlots: whether slots may go that none of the keys opens.
    ///   - pace: how much of the time it works, above 0, up to 1; the rest is left to others, so
    ///     that their commits wait less. 1 is for a store that nobody else uses meanwhile.
    ///   - progress: is told how far it has come; `false` ends it here, to be resumed.
    /// - Returns: whether it came to its end.
    /// - Throws: `invalidArgument` where slots would go unasked; `wrongKey`, `keySlotNotFound`;
    ///   `busy` where another process is at it, or where one was begun and is not done: nothing was
    ///   changed. `corrupted` where a page is damaged: what was done stays done. `notEncrypted`,
    ///   `readOnly`, `poisoned`, `full`, `io`.
    /// - Complexity: reads the file about three times and writes each live page once, in bounded
    ///   memory.
    @discardableResult
    public func reencrypt(
        keys: [StoreKey], droppingOtherSlots: Bool = false, pace: Double = 0.5,
        progress: (ReencryptionProgress) -> Bool = { _ in true }
    ) throws(BullaError) -> Bool {
        let reencryption = Reencryption(core: core)
        try reencryption.check(pace)
        return try reencryption.alone { () throws(BullaError) in
            try reencryption.begin(keys, droppingOthers: droppingOtherSlots)
            return try reencryption.run(pace, progress)
        }
    }

    /// Goes on with a re-encryption that was cut short; without one it does nothing.
    ///
    /// - Returns: whether it came to its end.
    /// - Throws: as `reencrypt(keys:)`.
    @discardableResult
    public func resumeReencryption(
        pace: Double = 0.5, progress: (ReencryptionProgress) -> Bool = { _ in true }
    ) throws(BullaError) -> Bool {
        let reencryption = Reencryption(core: core)
        try reencryption.check(pace)
        return try reencryption.alone { () throws(BullaError) in
            try reencryption.run(pace, progress)
        }
    }

    /// Whether a re-encryption was begun and is not done, as far as this process knows.
    public var isReencrypting: Bool { core.parts.ciphers.secret?.all.hasFormer ?? false }

    /// Does the same off the threads that tasks share.
    @discardableResult
    public func reencrypt(
        keys: [StoreKey], droppingOtherSlots: Bool = false, pace: Double = 0.5,
        progress: @escaping @Sendable (ReencryptionProgress) -> Bool = { _ in true }
    ) async throws(BullaError) -> Bool {
        try core.writerLock.checkTurn()
        return try await DispatchQueue(label: "bulla.key").run { [self] () throws(BullaError) in
            try reencrypt(
                keys: keys, droppingOtherSlots: droppingOtherSlots, pace: pace, progress: progress)
        }
    }

    /// Does the same off the threads that tasks share.
    @discardableResult
    public func resumeReencryption(
        pace: Double = 0.5,
        progress: @escaping @Sendable (ReencryptionProgress) -> Bool = { _ in true }
    ) async throws(BullaError) -> Bool {
        try core.writerLock.checkTurn()
        return try await DispatchQueue(label: "bulla.key").run { [self] () throws(BullaError) in
            try resumeReencryption(pace: pace, progress: progress)
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

    /// Does what is left to do.
    fileprivate func run(
        _ pace: Double, _ report: Report
    ) throws(BullaError) -> Bool {
        guard let secret = core.parts.ciphers.secret else { return true }
        if !secret.all.hasFormer, try !isKeptInAnyCopy() { return true }
        let first = secret.all.firstEpoch
        try beginEpoch()
        guard try reseal(before: first, pace, report), try erase(before: first, report) else {
            return false
        }
        try forget(before: first)
        return true
    }
}
