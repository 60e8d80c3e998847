internal import BullaCipher
internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Makes published commits durable: one leader writes the meta slot and flushes for everyone who
/// waits.
///
/// A meta slot is written under the flush lock only, and never over the one that was flushed last.
final class Flusher: PageFlusher {
    private let store: StoreParts
    private let board: CommitBoard
    private let writerLock: WriterLock
    let metas: MetaSlots
    private let pages: RecoveryWalk
    private let turn = DispatchSemaphore(value: 0)
    /// How long the last flush took, in nanoseconds.
    private let flushTime = Atomic<Int64>(0)

    /// How long a leader waits for company at most, however slow the disk is.
    private static let companyLimit: Duration = .milliseconds(5)
    /// How long a dead leader can go unnoticed.
    private static let probeInterval: Duration = .milliseconds(10)

    init(
        _ store: StoreParts, _ board: CommitBoard, _ writerLock: WriterLock, pages: RecoveryWalk
    ) throws(BullaError) {
        self.store = store
        self.board = board
        self.writerLock = writerLock
        self.pages = pages
        metas = try MetaSlots(store)
        // From zero up: one that is down when it goes away, as in a forked child, is no mistake.
        turn.signal()
    }

    private var words: SharedWords { board.words }

    /// Returns when the commit is durable, by this thread's flush or another's.
    func awaitDurable(_ commit: UInt64) throws(BullaError) {
        while true {
            try checkPoison()
            // Before the look at the lock: who finds it taken is woken when it is given up.
            let turns = words.loadAcquire(WorldLayout.flushTurns)
            if try board.record(.durable).commit >= commit { return }
            if try lead(upTo: commit) { continue }
            words.add(1, WorldLayout.waits)
            sleep(while: turns)
        }
    }

    private func sleep(while turns: UInt64) {
        words.add(1, WorldLayout.flushWaiting)
        words.wait(while: turns, WorldLayout.flushTurns, atMost: Self.probeInterval)
        words.add(UInt64.max, WorldLayout.flushWaiting)
    }

    /// Gives up the flush lock, then tells those who found it taken.
    ///
    /// In this order: who was told before would find it taken, and nobody would tell it again.
    private func release() {
        _ = try? store.file.lock(LockByte.flush, .none)
        turn.signal()
        words.add(1, WorldLayout.flushTurns)
        if words.loadAcquire(WorldLayout.flushWaiting) != 0 { words.wake(WorldLayout.flushTurns) }
    }

    /// Takes the flush lock, unless somebody has it.
    private func take() throws(BullaError) -> Bool {
        guard turn.wait(timeout: .now()) == .success else { return false }
        do throws(BullaError) {
            if try store.file.lock(LockByte.flush, .exclusive) { return true }
        } catch {
            turn.signal()
            throw error
        }
        turn.signal()
        return false
    }

    func checkPoison() throws(BullaError) {
        guard board.isPoisoned else { return }
        throw BullaError(
            .poisoned,
            "use \(store.path): a flush failed, and what it covered is in doubt; "
                + "close the store everywhere and open it again")
    }

    /// Flushes, unless somebody else is at it; `false` then.
    private func lead(upTo commit: UInt64) throws(BullaError) -> Bool {
        guard try take() else { return false }
        defer { release() }
        try checkPoison()
        guard try board.record(.durable).commit < commit else { return true }
        try awaitCompany()
        // Who came along may have met a failing disk.
        try checkPoison()
        try flush(SealBudget())
        return true
    }

    /// Lets some of those come along who write at this moment, or wait to write.
    ///
    /// Half of all, so that one half writes while the other half's flush is under way. But the
    /// leader waits no longer than the flush itself takes, and not at all where nobody comes.
    private func awaitCompany() throws(BullaError) {
        let awaited = try fairShare()
        let flushTime = Duration.nanoseconds(flushTime.load(ordering: .relaxed))
        let end = ContinuousClock.now + min(flushTime, Self.companyLimit)
        // Fenced: a writer that leaves after the looks at what is published, and at who wants to
        // write, sees that somebody waits.
        words.storeFenced(awaited, WorldLayout.companyAwaited)
        defer { words.storeRelease(0, WorldLayout.companyAwaited) }
        while words.loadAcquire(WorldLayout.companyAwaited) == awaited,
            try board.claimed(.published) < awaited
        {
            let left = end - ContinuousClock.now
            guard left > .zero, writerLock.isWanted else { return }
            words.wait(while: awaited, WorldLayout.companyAwaited, atMost: left)
        }
    }

    /// The commit with which half of those have come whom this flush and the last one serve.
    private func fairShare() throws(BullaError) -> UInt64 {
        let durable = try board.record(.durable)
        let servedLast = durable.commit &- durable.lastDurable
        let waiting = try board.claimed(.published) &- durable.commit
        // Wrapping: whatever comes of words that somebody else wrote, the wait is bounded.
        return durable.commit &+ (servedLast &+ waiting &+ 1) / 2
    }

    /// Flushes as the only one who may; waits for whoever is at it.
    func leadAlways(_ budget: SealBudget = SealBudget()) throws(BullaError) {
        try underLock { () throws(BullaError) in try flush(budget) }
    }

    private func underLock(_ body: () throws(BullaError) -> Void) throws(BullaError) {
        while true {
            try checkPoison()
            let turns = words.loadAcquire(WorldLayout.flushTurns)
            if try take() { break }
            // It may be waiting for this very writer.
            writerLock.endCompany()
            sleep(while: turns)
        }
        defer { release() }
        try checkPoison()
        try body()
    }

    /// Writes the newest published commit into the other slot, and flushes.
    ///
    /// Under the flush lock.
    ///
    ///     step      what a crash after it leaves
    ///     write     the former commit, or this one if the disk got all of it
    ///     flush     this commit
    ///     post      the same, and everybody knows
    private func flush(_ budget: SealBudget) throws(BullaError) {
        let former = try takeUpDurable()
        var record = try board.record(.published)
        guard record.commit >= former.commit else { throw isBehind(former.commit) }
        try finishInterrupted(record, since: former)
        budget.apply(to: &record, former: former, sealed: words.loadAcquire(WorldLayout.seals))
        record.lastDurable = former.commit
        record.metaSlot = 1 - former.metaSlot
        if PlantedBug.isPlanted(.slotReused) { record.metaSlot = former.metaSlot }
        record.flush = former.flush + 1
        words.storeRelease(record.commit, WorldLayout.flushUnderWay)
        do throws(BullaError) {
            try metas.write(record)
            let start = ContinuousClock.now
            if !PlantedBug.isPlanted(.flushSkipped) { try store.file.flush() }
            noteFlush(ContinuousClock.now - start)
        } catch {
            // A page that the kernel could not write counts as clean afterwards: a second flush
            // that succeeds means nothing.
            board.poison()
            throw error
        }
        // The flush of a writer may have failed meanwhile, and told him alone of pages that this
        // one was to cover.
        try checkPoison()
        try board.post(record, .durable)
        words.storeRelease(0, WorldLayout.flushUnderWay)
        words.add(1, WorldLayout.flushes)
    }

    private func noteFlush(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        flushTime.store(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
    }

    /// The record that was durable last; under the flush lock.
    ///
    /// The file is asked too. A meta slot that is newer than the board is a leader's that died
    /// before he posted it, or one whose record a stranger took from the board. Nobody may write
    /// over it, for it may have been flushed; nor trust it, for it may not. So it is written again,
    /// as recovery does.
    private func takeUpDurable() throws(BullaError) -> CommitRecord {
        try board.raiseDurable()
        let known = try board.record(.durable)
        guard let newest = try metas.newest(after: known) else { return known }
        guard newest.commit <= (try board.record(.published).commit) else {
            throw isBehind(newest.commit)
        }
        if newest.confirms(known) { return try settle(newest) }
        // It stays said that a flush is under way: what was published later is written again, too.
        words.storeRelease(newest.commit, WorldLayout.flushUnderWay)
        try pages.writeAgain(newest, since: known.commit)
        try metas.write(newest)
        try flushPages()
        try checkPoison()
        try board.post(newest, .durable)
        return newest
    }

    /// Makes a slot durable that only confirms the commit which the board knows; its pages and the
    /// other slot were flushed before it was written (``CleanClose``).
    private func settle(_ confirming: CommitRecord) throws(BullaError) -> CommitRecord {
        let interrupted = words.loadAcquire(WorldLayout.flushUnderWay)
        // The flush covers pages of commits that are published already, too.
        words.storeRelease(confirming.commit, WorldLayout.flushUnderWay)
        try metas.write(confirming)
        try flushPages()
        try checkPoison()
        try board.post(confirming, .durable)
        if interrupted == 0 { words.storeRelease(0, WorldLayout.flushUnderWay) }
        return confirming
    }

    /// Sees to it that who joins sees what the file has: the board may have been set back.
    func takeUpNewer() throws(BullaError) {
        guard try hasNewer() else { return }
        // As a rule a flush is under way, and this waits for it.
        try underLock { () throws(BullaError) in _ = try takeUpDurable() }
    }

    /// Whether the file has what the board does not know: more than a slot that only confirms what
    /// it knows, which is the next flush's to write again (``CleanClose``).
    func hasNewer() throws(BullaError) -> Bool {
        let known = try board.record(.durable)
        guard let newest = try metas.newest(after: known) else { return false }
        return !newest.confirms(known)
    }

    /// Whether nobody has written since the store was opened, closed cleanly as it was.
    private func isUntouched() throws(BullaError) -> Bool {
        let known = try board.record(.durable)
        guard try board.record(.published).commit == known.commit,
            let newest = try metas.newest(after: known)
        else { return false }
        return newest.confirms(known)
            && newest.reservedCount == words.loadAcquire(WorldLayout.seals)
    }

    /// A leader died while it flushed: whether its pages are clean or lost, the kernel does not
    /// say.
    private func finishInterrupted(
        _ published: CommitRecord, since former: CommitRecord
    ) throws(BullaError) {
        guard words.loadAcquire(WorldLayout.flushUnderWay) != 0 else { return }
        try pages.writeAgain(published, since: former.commit)
    }

    /// Flushes pages that no meta page names yet.
    ///
    /// The same flush may cover pages of commits that are published already: when it fails, they
    /// are in doubt.
    func flushPages() throws(BullaError) {
        do { try store.file.flush() } catch {
            board.poison()
            throw error
        }
    }

    /// Refuses a board that is behind the file: an older record was put back.
    ///
    /// A slot that is being written at this moment does not verify, and says nothing.
    func checkBoard() throws(BullaError) {
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

    private func isBehind(_ commit: UInt64) -> BullaError {
        BullaError(
            .corrupted,
            "use \(store.path): its coordination file is older than commit \(commit), which the "
                + "file has; close the store everywhere and open it again")
    }

    /// Writes the durable commit into the other slot too, so that both name it: it can never be
    /// fallen back from.
    ///
    /// To be called by who is alone.
    ///
    /// - Parameters:
    ///   - isLast: nobody seals any more: what was reserved and not used is given back.
    func confirm(isLast: Bool) throws(BullaError) {
        if try isUntouched() { return }
        var record = try takeUpDurable()
        let sealed = words.loadAcquire(WorldLayout.seals)
        let isGivingBack = isLast && record.reservedCount != sealed
        guard record.lastDurable != record.commit || isGivingBack else { return }
        try finishInterrupted(try board.record(.published), since: record)
        record.lastDurable = record.commit
        record.metaSlot = 1 - record.metaSlot
        record.flush += 1
        SealBudget().apply(to: &record, former: record, sealed: sealed)
        if isLast { record.reservedCount = record.sealedCount }
        // The flush covers pages of commits that are published already, too: who finds it
        // interrupted must not trust that they are clean.
        words.storeRelease(record.commit, WorldLayout.flushUnderWay)
        try metas.write(record)
        try flushPages()
        try checkPoison()
        try board.post(record, .durable)
        words.storeRelease(0, WorldLayout.flushUnderWay)
    }

    /// The same, where others may be at work: unless somebody is flushing, who then confirms
    /// himself.
    func confirmAsLeader() throws(BullaError) {
        guard try take() else { return }
        defer { release() }
        try checkPoison()
        try confirm(isLast: false)
    }
}

/// How many pages one data key may seal, and how far ahead of use that is written down.
///
/// With random nonces of 96 bits the chance that two of 2^28 are alike is below 2^-41 (NIST SP
/// 800-38D allows 2^32 at 2^-32).
struct SealBudget {
    static let epochLimit: UInt64 = 1 << 28
    static let reservation: UInt64 = 1 << 20

    /// Pages that are to be sealed beyond those counted.
    var wanted: UInt64 = 0
    /// Whether a new key epoch begins.
    var beginsEpoch = false

    /// Writes into a meta page's record what may be sealed before the next.
    func apply(to record: inout CommitRecord, former: CommitRecord, sealed: UInt64) {
        record.keyEpoch = former.keyEpoch
        // What processes count together is not believed beyond what a record may say.
        record.sealedCount = max(former.sealedCount, min(sealed, Self.epochLimit * 2))
        record.reservedCount = former.reservedCount
        if beginsEpoch {
            record.keyEpoch += 1
            record.sealedCount = 0
            record.reservedCount = 0
        }
        if record.sealedCount + wanted + Self.reservation / 2 > record.reservedCount {
            record.reservedCount = record.sealedCount + wanted + Self.reservation
        }
    }
}
